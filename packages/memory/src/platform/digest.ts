/** A hash in one call. A text is hashed as UTF-8, with U+FFFD for half of a pair of surrogates. */
export type Digest = (data: string | Uint8Array, encoding: "hex" | "base64url") => string;

/** Of a text that comes in pieces, none of which parts a pair of surrogates. */
export interface GrowingDigest {
  readonly update: (text: string) => void;
  /** Ends it. */
  readonly digest: () => string;
}
