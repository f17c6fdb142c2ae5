import * as z from "zod";
import type { MemoryErrorUnion } from "../errors.ts";
import { lazy } from "../lazy.ts";
import type { BlobStore } from "./blob-store.ts";

/** Something about blobs failed that changes no call's outcome: what is left over is swept later. */
export interface BlobErrorEvent {
  /** `"release"`: a hold stays until it is over. `"erase"`: blobs of a conversation stay until they are swept. `"sweep"`. */
  readonly step: "release" | "erase" | "sweep";
  /** Absent with `"sweep"`. */
  readonly conversationId?: string;
  readonly error: MemoryErrorUnion;
}

const isBlobStore = (value: unknown): value is BlobStore =>
  typeof value === "object" && value !== null && "put" in value && typeof value.put === "function";

export const blobOptionsSchema = lazy(() =>
  z.strictObject({
    /** Where the bytes go. It stays open when the provider is closed. */
    blobs: z.custom<BlobStore>(isBlobStore, { error: "expected a BlobStore" }),
    /** Media of fewer bytes stay in their messages. Default 32,768. */
    minBytes: z.int().min(1).default(32_768),
    /** Media of more bytes are refused. Default 67,108,864. */
    maxBytes: z.int().min(1).default(67_108_864),
    /** How many bytes of media that were read this process keeps, for a minute at most. Default 33,554,432; 0: none. */
    cacheBytes: z.int().min(0).default(33_554_432),
    /**
     * How long media is kept whose message isn't stored yet: what a writer that crashed leaves is swept only after this. A
     * write that takes longer than half of it to store its media fails. Default 900.
     */
    holdSeconds: z.int().min(2).default(900),
    /** Told of what failed without a call failing for it. Default: nobody is told. */
    onBlobError: z
      .custom<(event: BlobErrorEvent) => void>((value) => typeof value === "function", {
        error: "expected a function",
      })
      .optional(),
  }),
);

export type BlobOptions = z.input<ReturnType<typeof blobOptionsSchema>>;
export type BlobSettings = z.output<ReturnType<typeof blobOptionsSchema>>;
