/** A text's bytes of UTF-8. */
export const utf8Of = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** The text in bytes of UTF-8; U+FFFD for what is none. A mark of the byte order at its beginning stays. */
export const textIn = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
