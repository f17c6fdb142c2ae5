/** What Node's `Buffer` does faster than the functions of the web. */
interface ByteFunctions {
  /** Base64 of RFC 4648, padded. */
  readonly base64Of: (bytes: Uint8Array) => string;
  /** Without padding, with the letters that need no escape in a URL. */
  readonly base64urlOf: (bytes: Uint8Array) => string;
  /**
   * The bytes in base64, also with the letters of base64url, without padding or with white space; what is none of its letters
   * is passed over.
   */
  readonly bytesIn: (base64: string) => Uint8Array<ArrayBuffer>;
  readonly sameBytes: (a: Uint8Array, b: Uint8Array) => boolean;
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Exported for the test that compares both. */
export const nodeBytes: ByteFunctions = {
  base64Of: (bytes) => bufferOf(bytes).toString("base64"),
  base64urlOf: (bytes) => bufferOf(bytes).toString("base64url"),
  bytesIn: (base64) => {
    const buffer = Buffer.from(base64, "base64");
    // A copy of small ones, which share their memory with others.
    return buffer.byteLength === buffer.buffer.byteLength
      ? new Uint8Array(buffer.buffer)
      : new Uint8Array(buffer);
  },
  sameBytes: (a, b) => Buffer.compare(a, b) === 0,
};

/** A call takes only so many arguments. */
const AT_ONCE = 8_192;

/** Exported for the test that compares both. */
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
    // A letter alone holds no byte.
    const whole = letters.length % 4 === 1 ? letters.slice(0, -1) : letters;
    return Uint8Array.from(atob(whole), (character) => character.charCodeAt(0));
  },
  sameBytes: (a, b) => a.length === b.length && a.every((byte, index) => byte === b[index]),
};

// By what is there and not by a condition of the package: a file of its own takes Node longer to find than all that stands in
// it. What some bundlers put in Node's place doesn't know base64url.
const isBufferThere =
  (globalThis as { readonly Buffer?: Partial<typeof Buffer> }).Buffer?.isEncoding?.("base64url") === true;

export const { base64Of, base64urlOf, bytesIn, sameBytes } = isBufferThere ? nodeBytes : webBytes;

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
