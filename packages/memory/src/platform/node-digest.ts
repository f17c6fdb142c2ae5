// What `#digest` is where Node's modules are: under Node, Deno and Bun.
import { createHash, hash } from "node:crypto";
import type { Digest, GrowingDigest } from "./digest.ts";

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
