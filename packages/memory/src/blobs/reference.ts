import * as z from "zod";

/** Replaces the `data` of a media part, whose bytes are in a `BlobStore` under the same conversation. */
export interface BlobReference {
  /** Of the bytes, 64 hexadecimal digits in lower case. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  /** `"base64"`: `data` was base64 text, and is returned as text. Absent: it was a `Uint8Array`. */
  readonly encoding?: "base64";
}

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, {
  error: "expected a SHA-256 of 64 hexadecimal digits in lower case",
});

const referenceSchema = z.strictObject({
  sha256: sha256Schema,
  size: z.int().min(0),
  encoding: z.literal("base64").exactOptional(),
});

/** `undefined` for what is no reference: `blob` may be a field of another framework's. */
export function parseReference(value: unknown): BlobReference | undefined {
  const parsed = referenceSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
