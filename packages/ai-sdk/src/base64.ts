import { base64Of as base64OfBytes } from "@jaf/memory/engine";

/** Bytes as base64; a text is that already. */
export const base64Of = (data: Uint8Array | string): string =>
  typeof data === "string" ? data : base64OfBytes(data);
