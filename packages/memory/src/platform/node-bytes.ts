const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Base64 of RFC 4648, padded. */
export const base64Of = (bytes: Uint8Array): string => bufferOf(bytes).toString("base64");

/** Without padding. */
export const base64urlOf = (bytes: Uint8Array): string => bufferOf(bytes).toString("base64url");

/**
 * The bytes in base64, also with the letters of base64url, without padding or with white space; what is none of its letters
 * is passed over.
 */
export function bytesIn(base64: string): Uint8Array<ArrayBuffer> {
  const buffer = Buffer.from(base64, "base64");
  // A copy of small ones, which share their memory with others.
  return buffer.byteLength === buffer.buffer.byteLength
    ? new Uint8Array(buffer.buffer)
    : new Uint8Array(buffer);
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
