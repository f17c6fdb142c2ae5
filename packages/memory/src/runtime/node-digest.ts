import { createHash, hash } from "node:crypto";

/** Computes a hash in one call. A text is hashed as UTF-8. An unpaired surrogate counts as U+FFFD. */
export type Digest = (data: string | Uint8Array, encoding: "hex" | "base64url") => string;

/** Computes the hash of a text that is given in several parts. A surrogate pair must not be split between two parts. */
export interface GrowingDigest {
  readonly update: (text: string) => void;
  /** Returns the hash of all parts. After this call, no method may be called. */
  readonly digest: () => string;
}

// This file is `#digest` where Node's modules exist: in Node, Deno and Bun.

/** Computes a SHA-1 hash. */
export const sha1: Digest = (data, encoding) => hash("sha1", data, encoding);
/** Computes a SHA-256 hash. */
export const sha256: Digest = (data, encoding) => hash("sha256", data, encoding);
/** Computes a SHA-512/256 hash (SHA-512, shortened to 256 bits). */
export const sha512t256: Digest = (data, encoding) => hash("sha512-256", data, encoding);

/** Starts a SHA-512/256 hash of a text that is given in parts. The result is in base64url. */
export function startSha512t256(): GrowingDigest {
  const growing = createHash("sha512-256");
  return {
    update: (text) => {
      growing.update(text);
    },
    digest: () => growing.digest("base64url"),
  };
}
