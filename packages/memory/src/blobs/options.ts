import * as z from "zod";
import type { MemoryErrorUnion } from "../errors.ts";
import type { BlobStore } from "./blob-store.ts";

/** A step with blobs failed without changing the outcome of a call: blobs that remain are swept later. */
export interface BlobErrorEvent {
  /**
   * `"release"`: a hold stays until it expires. `"erase"`: blobs of a conversation stay until they are swept. `"sweep"`: a
   * sweep in the background failed.
   */
  readonly step: "release" | "erase" | "sweep";
  /** Absent with `"sweep"`. */
  readonly conversationId?: string;
  readonly error: MemoryErrorUnion;
}

const isBlobStore = (value: unknown): value is BlobStore =>
  typeof value === "object" && value !== null && "put" in value && typeof value.put === "function";

export const blobOptionsSchema = z.strictObject({
  /** Where the bytes go. It stays open when the provider is closed. */
  blobs: z.custom<BlobStore>(isBlobStore, { error: "expected a BlobStore" }),
  /** Media of fewer bytes stay in their messages. Default 32,768. */
  minBytes: z.int().min(1).default(32_768),
  /** Media of more bytes are refused. Default 67,108,864. */
  maxBytes: z.int().min(1).default(67_108_864),
  /** How many bytes of media this process caches after reading, each for at most a minute. Default 33,554,432; 0: none. */
  cacheBytes: z.int().min(0).default(33_554_432),
  /**
   * How long media is kept whose message isn't stored yet: the media of a writer that crashed is swept only after
   * this. A write fails if storing its media takes longer than half of it. Default 900.
   */
  holdSeconds: z.int().min(2).default(900),
  /** Called for failures that don't fail a call. Default: nothing is reported. */
  onBlobError: z
    .custom<(event: BlobErrorEvent) => void>((value) => typeof value === "function", {
      error: "expected a function",
    })
    .optional(),
});

export type BlobOptions = z.input<typeof blobOptionsSchema>;
export type BlobSettings = z.output<typeof blobOptionsSchema>;
