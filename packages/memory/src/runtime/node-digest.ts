import { createHash, hash } from "node:crypto";

/** A hash in one call. A text is hashed as UTF-8, with U+FFFD for half of a pair of surrogates. */
export type Digest = (data: string | Uint8Array, encoding: "hex" | "base64url") => string;

/** Of a text that comes in pieces, none of which parts a pair of surrogates. */
export interface GrowingDigest {
  readonly update: (text: string) => void;
  /** Ends it. */
  readonly digest: () => string;
}

// What `#digest` is where Node's modules are: under Node, Deno and Bun.

export const sha1: Digest = (data, encoding) => hash("sha1", data, encoding);
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
