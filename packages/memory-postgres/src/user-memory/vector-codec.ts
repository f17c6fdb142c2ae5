const BYTES = 4;

/** How many bytes a vector of so many numbers takes. */
export const packedLength = (dimension: number): number => dimension * BYTES;

/** In single precision, four bytes a number, as Postgres takes bytes in JSON. */
export function packVector(vector: readonly number[]): string {
  const bytes = Buffer.alloc(packedLength(vector.length));
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * BYTES);
  return `\\x${bytes.toString("hex")}`;
}

/** Of base64. */
export function unpackVector(base64: string): Float64Array {
  const bytes = Buffer.from(base64, "base64");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: bytes.byteLength / BYTES }, (_, index) =>
    view.getFloat32(index * BYTES, true),
  );
}

/** A measure of how alike vectors are to this one: the cosine, not a number where one has no direction. */
export function cosineTo(vector: readonly number[]): (base64: string) => number {
  const length = Math.hypot(...vector);
  return (base64) => {
    const bytes = Buffer.from(base64, "base64");
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let [dot, square] = [0, 0];
    for (let index = 0; index < vector.length; index++) {
      const value = view.getFloat32(index * BYTES, true);
      dot += value * (vector[index] ?? 0);
      square += value * value;
    }
    return dot / (length * Math.sqrt(square));
  };
}
