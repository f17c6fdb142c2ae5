

// By what is there and not by a condition: a file of its own takes Node longer to find than all that stands in it.
// What some bundlers put in Node's place doesn't know base64url.
const isBufferThere =
  (globalThis as { readonly Buffer?: Partial<typeof Buffer> }).Buffer?.isEncoding?.("base64url") === true;

/** Base64 of RFC 4648, padded. */
export const base64Of = isBufferThere ? node.base64Of : web.base64Of;

/** Without padding, with the letters that need no escape in a URL. */
export const base64urlOf = isBufferThere ? node.base64urlOf : web.base64urlOf;

/**
 * The bytes in base64, also with the letters of base64url, without padding or with white space; what is none of its letters
 * is passed over.
 */
export const bytesIn = isBufferThere ? node.bytesIn : web.bytesIn;

export const sameBytes = isBufferThere ? node.sameBytes : web.sameBytes;

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

/** A text's bytes of UTF-8. */
export const utf8Of = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** The text in bytes of UTF-8; U+FFFD for what is none. A mark of the byte order at its beginning stays. */
export const textIn = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

const tag = /* @__PURE__ */ Object.getOwnPropertyDescriptor(
  /* @__PURE__ */ Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get as (this: unknown) => string | undefined;

/** Also one of another realm, or of a class of its own such as `Buffer`; nothing else passes for one. */
export const isUint8Array = (value: unknown): value is Uint8Array => tag.call(value) === "Uint8Array";
