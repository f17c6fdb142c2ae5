// This file is `#digest` where Node's modules don't exist: in browsers and on the edge. The hash functions of the web
// return promises, but some of our hashes are needed synchronously. The function `base64urlOf` is in this file, because
// a separate file would make every import slower.

import { sha1 as hashSha1 } from "@noble/hashes/legacy.js";
import { sha256 as hashSha256, sha512_256 as hashSha512t256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Digest, GrowingDigest } from "./node-digest.ts";

const base64urlOf = (sum: Uint8Array): string =>
  btoa(String.fromCharCode(...sum))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

const encoded = (sum: Uint8Array, encoding: "hex" | "base64url"): string =>
  encoding === "hex" ? bytesToHex(sum) : base64urlOf(sum);

const encoder = new TextEncoder();

const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === "string" ? encoder.encode(data) : data;

/** Computes a SHA-1 hash. */
export const sha1: Digest = (data, encoding) => encoded(hashSha1(bytesOf(data)), encoding);
/** Computes a SHA-256 hash. */
export const sha256: Digest = (data, encoding) => encoded(hashSha256(bytesOf(data)), encoding);
/** Computes a SHA-512/256 hash (SHA-512, shortened to 256 bits). */
export const sha512t256: Digest = (data, encoding) => encoded(hashSha512t256(bytesOf(data)), encoding);

/** Starts a SHA-512/256 hash of a text that is given in parts. The result is in base64url. */
export function startSha512t256(): GrowingDigest {
  const growing = hashSha512t256.create();
  return {
    update: (text) => {
      growing.update(encoder.encode(text));
    },
    digest: () => base64urlOf(growing.digest()),
  };
}
