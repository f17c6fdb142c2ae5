import { createHash, hash } from "node:crypto";

/** Hashes in one call. Text is hashed as UTF-8, with U+FFFD for unpaired surrogates. */
export type Digest = (data: string | Uint8Array, encoding: "hex" | "base64url") => string;

/** The hash of a text in chunks. Chunks must not split a surrogate pair. */
export interface GrowingDigest {
  readonly update: (text: string) => void;
  /** Ends the hash and returns it. */
  readonly digest: () => string;
}

// `#digest` with Node's modules: in Node, Deno and Bun.

/** SHA-1. */
export const sha1: Digest = (data, encoding) => hash("sha1", data, encoding);
/** SHA-256. */
export const sha256: Digest = (data, encoding) => hash("sha256", data, encoding);
/** SHA-512/256. */
export const sha512t256: Digest = (data, encoding) => hash("sha512-256", data, encoding);

/** SHA-512/256, base64url. */
export function startSha512t256(): GrowingDigest {
  const growing = createHash("sha512-256");
  return {
    update: (text) => {
      growing.update(text);
    },
    digest: () => growing.digest("base64url"),
  };
}
