import { sha1, sha256 } from "#digest";

/** What a store makes the digests of its histories with: Redis' scripts offer SHA-1 alone. */
export type DigestAlgorithm = "sha1" | "sha256";

/** SHA-256 of a message's body as it is stored, hex: made by the writer, so that a store's script has little to hash. */
export const messageHash = (body: string): string => sha256(body, "hex");

/**
 * The digest of a history that one more message was added to, hex. `previous` is the digest before it; of a conversation
 * without any, its incarnation, so that no digest of one conversation is one of another.
 */
export const nextDigest = (algorithm: DigestAlgorithm, previous: string, messageHashHex: string): string =>
  (algorithm === "sha1" ? sha1 : sha256)(previous + messageHashHex, "hex");
