/** Bytes as base64; a text is that already. */
export const base64Of = (data: Uint8Array | string): string =>
  typeof data === "string"
    ? data
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
