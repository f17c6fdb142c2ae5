import {
  createFailure,
  createMemoryStorageError,
  createMemoryValidationError,
  createSuccess,
  type MemoryErrorUnion,
  type MemoryIssue,
  type Result,
} from "../contract/errors.ts";
import type { BlobReference, Message } from "../contract/message.ts";
import { present } from "../runtime/objects.ts";
import { type BlobHold, failedIn } from "./blob-store.ts";
import { collectBlobs, type MediaStores } from "./garbage-collection.ts";
import { type BatchMedia, referencedHashes } from "./media-parts.ts";

/** A blob step that failed without changing the result of a call. The remaining blobs are swept later. */
export interface BlobErrorEvent {
  /**
   * - `"release"`: a hold stays until it expires.
   * - `"erase"`: blobs of a conversation stay until they are swept.
   * - `"sweep"`: a background sweep failed.
   */
  readonly step: "release" | "erase" | "sweep";
  /** Absent with `"sweep"`. */
  readonly conversationId?: string;
  readonly error: MemoryErrorUnion;
}

export interface MediaWriterOptions extends MediaStores {
  readonly settings: { readonly maxBytes: number; readonly holdSeconds: number };
  readonly report: (event: BlobErrorEvent) => void;
}

export interface MediaWrite {
  readonly operation: string;
  readonly conversationId: string;
  readonly media: BatchMedia;
  /** Whether the write may remove messages. */
  readonly removes: boolean;
  readonly idempotencyKey?: string | undefined;
  /** Stores the given batch. */
  readonly store: (messages: readonly Message[]) => Promise<Result<void>>;
}

/** Whether the write definitely stored nothing, now or later. */
function isRefused({ _tag }: MemoryErrorUnion): boolean {
  switch (_tag) {
    case "MemoryValidationError":
    case "MemoryConflictError":
    case "MemoryNotFoundError":
      return true;
    case "MemoryConnectionError":
    case "MemoryStorageError":
      return false;
  }
}

/** How many messages of other writers may follow those of a write before it checks. */
const WRITTEN_MEANWHILE = 30;

const NOT_HERE =
  "media of a stored message of this conversation; resolve media of other conversations with resolveMedia first";

/** Creates the writer of media for one provider. See `withBlobs` for the order of steps. */
export function createMediaWriter(options: MediaWriterOptions) {
  const { provider, blobs, settings, report } = options;
  const { maxBytes, holdSeconds } = settings;

  const invalid = (operation: string, issues: readonly MemoryIssue[]) =>
    createFailure(createMemoryValidationError(issues, { provider: blobs.name, operation }));

  async function putAll(
    { conversationId, media, operation }: MediaWrite,
    hold: BlobHold,
    references: BlobReference[],
  ): Promise<Result<void>> {
    const start = performance.now();
    for (const { data, encoding } of media.found) {
      const put = await blobs.put(conversationId, data, hold);
      if (!put.success) return failedIn(operation, put);
      const { sha256, size } = put.data;
      references.push({ sha256, size, ...present({ encoding }) });
    }
    if (performance.now() - start <= holdSeconds * 500) return createSuccess(undefined);
    const reason = "storing its media took more than half of `holdSeconds`; try again, or increase it.";
    const details = { provider: blobs.name, retryable: true };
    return createFailure(createMemoryStorageError(operation, reason, details));
  }

  /**
   * Keeps the references that the batch already contains, if a stored message names them. A hash gives no access to
   * erased bytes or to another conversation. A write that was already made is let through, to be replayed.
   */
  async function keepAll(
    { conversationId, media, operation, idempotencyKey }: MediaWrite,
    hold: BlobHold,
  ): Promise<Result<void>> {
    if (media.references.length === 0) return createSuccess(undefined);
    const hashes = [...new Set(media.references.map(({ reference }) => reference.sha256))];
    const kept = await blobs.keep(conversationId, hashes, hold);
    if (!kept.success) return failedIn(operation, kept);
    const read = await provider.readConversation(conversationId, {
      messages: "all",
      ...present({ receiptFor: idempotencyKey }),
    });
    if (!read.success) return failedIn(operation, read);
    if (read.data.receipt !== undefined) return createSuccess(undefined);
    const named = referencedHashes(read.data.conversation?.messages ?? []);
    const issues = media.references
      .filter(({ reference: { sha256 } }) => !named.has(sha256) || !kept.data.includes(sha256))
      .map(({ path }) => ({ path, expected: NOT_HERE }));
    return issues.length === 0 ? createSuccess(undefined) : invalid(operation, issues);
  }

  async function release(conversationId: string, hashes: ReadonlySet<string>, hold: BlobHold): Promise<void> {
    const released = await blobs.release(conversationId, [...hashes], hold.id);
    if (!released.success) report({ step: "release", conversationId, error: released.error });
  }

  /**
   * Whether the written messages are stored. If a write was skipped, replayed or trimmed immediately, no message names
   * its media.
   */
  async function isNamed(
    { conversationId, idempotencyKey }: MediaWrite,
    stored: readonly Message[],
  ): Promise<boolean> {
    const hashes = [...referencedHashes(stored)];
    const isIn = (messages: readonly Message[]): boolean => {
      const named = referencedHashes(messages);
      return hashes.every((sha256) => named.has(sha256));
    };
    const asked = present({ receiptFor: idempotencyKey });
    const atEnd = { messages: { limit: stored.length + WRITTEN_MEANWHILE }, ...asked };
    const end = await provider.readConversation(conversationId, atEnd);
    if (!end.success || end.data.conversation === null) return false;
    if (isIn(end.data.conversation.messages)) return true;
    const { receipt } = end.data;
    if (receipt === undefined) return false;
    const place = { before: receipt.nextPosition, limit: stored.length };
    const read = await provider.readConversation(conversationId, { messages: place });
    return read.success && isIn(read.data.conversation?.messages ?? []);
  }

  async function collect(conversationId: string): Promise<void> {
    const collected = await collectBlobs(options, conversationId);
    if (!collected.success) report({ step: "erase", conversationId, error: collected.error });
  }

  return {
    collect,

    write: async (write: MediaWrite): Promise<Result<void>> => {
      const { operation, conversationId, media, removes, store } = write;
      const tooLong = media.found
        .filter(({ data }) => data.byteLength > maxBytes)
        .map(({ path }) => ({ path, expected: `at most ${maxBytes} bytes` }));
      if (tooLong.length > 0) return invalid(operation, tooLong);

      const hold: BlobHold = { id: crypto.randomUUID(), seconds: holdSeconds };
      const references: BlobReference[] = [];
      const given = await putAll(write, hold, references);
      const ready = given.success ? await keepAll(write, hold) : given;
      const stored = media.fill(references);
      const written = ready.success ? await store(stored) : ready;
      // The write may still be stored later: keep the hold.
      if (ready.success && !written.success && !isRefused(written.error)) return written;
      const brought = media.references.map(({ reference }) => reference);
      const hashes = new Set([...references, ...brought].map(({ sha256 }) => sha256));
      // In this order: an erasure in between either finds no hold, or is seen by the collection.
      await release(conversationId, hashes, hold);
      const isStoredBefore = written.success && !removes && (await isNamed(write, stored));
      if (!isStoredBefore) await collect(conversationId);
      return written;
    },
  };
}
