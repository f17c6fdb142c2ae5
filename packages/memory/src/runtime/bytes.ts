// There are two implementations: a fast one with Node's `Buffer`, and one with functions of the web.
/** Functions over bytes. */
interface ByteFunctions {
  /** Encodes bytes as base64 (RFC 4648) with padding. */
  readonly base64Of: (bytes: Uint8Array) => string;
  /** Encodes bytes as base64url without padding. */
  readonly base64urlOf: (bytes: Uint8Array) => string;
  /** Decodes base64 or base64url. Padding and white space are optional. Other characters are skipped. */
  readonly bytesIn: (base64: string) => Uint8Array<ArrayBuffer>;
  readonly sameBytes: (a: Uint8Array, b: Uint8Array) => boolean;
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** The implementation with `Buffer`. Exported for the test that compares both implementations. */
export const nodeBytes: ByteFunctions = {
  base64Of: (bytes) => bufferOf(bytes).toString("base64"),
  base64urlOf: (bytes) => bufferOf(bytes).toString("base64url"),
  bytesIn: (base64) => {
    const buffer = Buffer.from(base64, "base64");
    // Copy the bytes if the `Buffer` shares its memory with other Buffers, as small ones do.
    return buffer.byteLength === buffer.buffer.byteLength
      ? new Uint8Array(buffer.buffer)
      : new Uint8Array(buffer);
  },
  sameBytes: (a, b) => Buffer.compare(a, b) === 0,
};

/** The maximum number of bytes that are passed to `String.fromCharCode` in one call. */
const AT_ONCE = 8_192;

/** The implementation for the web. Exported for the test that compares both implementations. */
export const webBytes: ByteFunctions = {
  base64Of: (bytes) => {
    let characters = "";
    for (let start = 0; start < bytes.length; start += AT_ONCE) {
      characters += String.fromCharCode(...bytes.subarray(start, start + AT_ONCE));
    }
    return btoa(characters);
  },
  base64urlOf: (bytes) =>
    webBytes.base64Of(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""),
  bytesIn: (base64) => {
    const letters = base64
      .replaceAll("-", "+")
      .replaceAll("_", "/")
      .replace(/=.*/s, "")
      .replace(/[^A-Za-z0-9+/]/g, "");
    // A single remaining letter encodes no byte.
    const whole = letters.length % 4 === 1 ? letters.slice(0, -1) : letters;
    return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
  },
  sameBytes: (a, b) => a.length === b.length && a.every((byte, index) => byte === b[index]),
};

// Whether to use `Buffer` is decided at run time, not by a condition in package.json: Node takes longer to find a
// separate file than to load this code. The replacements for `Buffer` that some bundlers add don't support base64url.
const isBufferThere =
  (globalThis as { readonly Buffer?: Partial<typeof Buffer> }).Buffer?.isEncoding?.("base64url") === true;

export const { base64Of, base64urlOf, bytesIn, sameBytes } = isBufferThere ? nodeBytes : webBytes;

/** Encodes a text as UTF-8. */
export const utf8Of = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Decodes UTF-8. Invalid bytes become U+FFFD. A byte order mark at the beginning stays in the text. */
export const textIn = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

const tag = /* @__PURE__ */ Object.getOwnPropertyDescriptor(
  /* @__PURE__ */ Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get as (this: unknown) => string | undefined;

/**
 * Whether the value is a `Uint8Array`, or an instance of a subclass (e.g. `Buffer`), even from another realm (e.g. an
 * iframe).
 */
export const isUint8Array = (value: unknown): value is Uint8Array => tag.call(value) === "Uint8Array";
