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

/**
 * An operation on blobs that failed, although the application's call succeeded. A later sweep removes the blobs that
 * should have been removed.
 */
export interface BlobErrorEvent {
  /**
   * The operation that failed:
   *
   * - `"release"`: a hold wasn't ended. It ends when it expires.
   * - `"erase"`: the unused blobs of a conversation weren't removed. They stay until a sweep removes them.
   * - `"sweep"`: the sweep that follows some writes of media failed.
   */
  readonly step: "release" | "erase" | "sweep";
  /** The conversation of the blobs. Absent: a sweep failed. */
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
  /** Whether the write may remove stored messages. */
  readonly removes: boolean;
  readonly idempotencyKey?: string | undefined;
  /** Makes the write with the given messages, which contain references in place of the bytes. */
  readonly store: (messages: readonly Message[]) => Promise<Result<void>>;
}

/** Whether the error proves that the write has stored nothing and will store nothing. */
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

/**
 * How many messages other writers may add after the written messages, so that `isNamed` still finds the written
 * messages.
 */
const WRITTEN_MEANWHILE = 30;

const NOT_HERE =
  "media of a stored message of this conversation; resolve media of other conversations with resolveMedia first";

/** Creates the functions of one provider that write messages with media and remove unused blobs. */
export function createMediaWriter(options: MediaWriterOptions) {
  // The comment on `withBlobs` describes the order of the steps.
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
   * Adds a hold to the blobs to which the batch refers. Fails with a `MemoryValidationError` if a reference has no
   * blob, or is in no stored message of the conversation.
   */
  async function keepAll(
    { conversationId, media, operation, idempotencyKey }: MediaWrite,
    hold: BlobHold,
  ): Promise<Result<void>> {
    // A hash alone must give no access to erased bytes or to another conversation. Only a repeat under an idempotency
    // key may have such references, because the provider stores nothing for it.
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
   * Whether stored messages certainly refer to all blobs of the write. Only reads the end of the conversation, and the
   * messages before the position in the write's `receipt`.
   */
  async function isNamed(
    { conversationId, idempotencyKey }: MediaWrite,
    stored: readonly Message[],
  ): Promise<boolean> {
    // The result can be `false` after a successful write: if it was a repeat, if its messages were already stored under
    // their ids, or if they were trimmed at once.
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
      // The result of the write is unknown: the store may still store its messages. So the hold stays until it expires.
      if (ready.success && !written.success && !isRefused(written.error)) return written;
      const brought = media.references.map(({ reference }) => reference);
      const hashes = new Set([...references, ...brought].map(({ sha256 }) => sha256));
      // First release the hold, then collect. If another process erases the conversation before the release, the
      // collection below removes the blobs. If it erases the conversation after the release, it finds no hold and
      // removes the blobs itself.
      await release(conversationId, hashes, hold);
      const isStoredBefore = written.success && !removes && (await isNamed(write, stored));
      if (!isStoredBefore) await collect(conversationId);
      return written;
    },
  };
}
