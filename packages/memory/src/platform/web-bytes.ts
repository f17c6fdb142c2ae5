/** A call takes only so many arguments. */
const AT_ONCE = 8_192;

/** Base64 of RFC 4648, padded. */
export function base64Of(bytes: Uint8Array): string {
  let characters = "";
  for (let start = 0; start < bytes.length; start += AT_ONCE) {
    characters += String.fromCharCode(...bytes.subarray(start, start + AT_ONCE));
  }
  return btoa(characters);
}

/** Without padding. */
export const base64urlOf = (bytes: Uint8Array): string =>
  base64Of(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

/**
 * The bytes in base64, also with the letters of base64url, without padding or with white space; what is none of its letters
 * is passed over.
 */
export function bytesIn(base64: string): Uint8Array<ArrayBuffer> {
  const letters = base64
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/=.*/s, "")
    .replace(/[^A-Za-z0-9+/]/g, "");
  // A letter alone holds no byte.
  const whole = letters.length % 4 === 1 ? letters.slice(0, -1) : letters;
  return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);
