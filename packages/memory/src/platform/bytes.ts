import * as node from "./node-bytes.ts";
import * as web from "./web-bytes.ts";

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
