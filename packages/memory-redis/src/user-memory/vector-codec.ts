/** Four bytes a number, as base64: replies are text, whatever a client is set to. */
export const encodeVector = (vector: readonly number[]): string =>
  Buffer.from(Float32Array.from(vector).buffer).toString("base64");

export function decodeVector(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  const vector = new Float32Array(bytes.length >>> 2);
  bytes.copy(new Uint8Array(vector.buffer));
  return vector;
}

const SIGNS = 6;
/** A question mark. The 64 characters from it on are printable, and neither a colon nor a semicolon is among them. */
const FIRST = 63;

/** One bit a number: whether it is positive. Six to a character. */
export function signatureOf(vector: readonly number[]): string {
  const codes = new Uint8Array(signatureLength(vector)).fill(FIRST);
  for (let at = 0; at < vector.length; at++) {
    const character = Math.floor(at / SIGNS);
    if ((vector[at] ?? 0) > 0) codes[character] = (codes[character] ?? 0) + (1 << (at % SIGNS));
  }
  return Buffer.from(codes.buffer).toString("latin1");
}

/** Of a vector's signature, in characters. */
export const signatureLength = (vector: readonly number[]): number => Math.ceil(vector.length / SIGNS);

/**
 * A function of texts with a signature from `at` on: how much of the vector's direction the signs have, on a scale that is
 * the same for all.
 */
export function signatureScorer(vector: readonly number[]): (text: string, at: number) => number {
  const length = signatureLength(vector);
  const weights = new Float64Array(length * 128);
  for (let character = 0; character < length; character++) {
    for (let bits = 0; bits < 1 << SIGNS; bits++) {
      let sum = 0;
      for (let sign = 0; sign < SIGNS; sign++) {
        const value = vector[character * SIGNS + sign] ?? 0;
        sum += bits & (1 << sign) ? value : -value;
      }
      weights[character * 128 + FIRST + bits] = sum;
    }
  }
  return (text, at) => {
    let score = 0;
    for (let character = 0; character < length; character++) {
      score += weights[character * 128 + text.charCodeAt(at + character)] ?? 0;
    }
    return score;
  };
}
