import type { ConversationWrite, WriteOutcome } from "../backend/backend.ts";
import { decodeMessage } from "../codec/decode.ts";
import { createMemoryStorageError, createMemoryValidationError, type MemoryIssue } from "../errors.ts";
import type { Message } from "../message.ts";
import { ConversationStoreError } from "./error.ts";
import type { ConversationStore } from "./store.ts";
import { findLanding, loadMessages } from "./store-messages.ts";
import { type Notes, rememberKey } from "./store-state.ts";

const PROVIDER = "conversation-store";

interface Target {
  readonly store: ConversationStore;
  readonly notes: Notes;
  readonly owner: string | undefined;
  /** The messages that are there. */
  readonly stored: readonly Message[];
}

/** What five methods can't do. Throws {@link ConversationStoreError}. */
export function refuseUnsupported({ mode, maxMessages, ttlSeconds }: ConversationWrite): void {
  const issues: MemoryIssue[] = [];
  const refuse = (path: string, lacks: string) =>
    issues.push({ path, expected: `nothing: a conversation store can't ${lacks}` });
  if (maxMessages !== undefined) refuse("options.maxMessages", "drop messages");
  if (ttlSeconds !== undefined) refuse("options.ttlSeconds", "let a conversation expire");
  if (mode === "replace") refuse("messages", "replace messages; append them");
  if (issues.length > 0) {
    throw new ConversationStoreError(createMemoryValidationError(issues, { provider: PROVIDER }));
  }
}

/** Decides as every backend does, then appends. Call it in turn, on notes that know `stored`. */
export async function writeToStore(target: Target, write: ConversationWrite): Promise<WriteOutcome> {
  const { notes, owner } = target;
  if (owner !== undefined && write.userId !== undefined && owner !== write.userId) {
    return { status: "conflict", reason: "owner" };
  }
  const batch = write.messages.map(({ body }, index) => decodeMessage(body, index));
  const settled = settleKey(target, write, batch);
  if (settled !== undefined) return settled;
  if (write.expectedVersion !== undefined && write.expectedVersion !== notes.version) {
    return { status: "conflict", reason: "version", actualVersion: notes.version };
  }
  if (batch.length > 0) {
    await append(target, write, batch);
    notes.version += batch.length;
    notes.visible = undefined;
  }
  noteWrite(notes, write);
  return { status: "written" };
}

function settleKey(
  { notes, stored }: Target,
  write: ConversationWrite,
  batch: readonly Message[],
): WriteOutcome | undefined {
  const known = write.idempotency && notes.keys.get(write.idempotency.key);
  if (known === undefined) return undefined;
  if (known.bodyHash !== write.idempotency?.bodyHash) {
    return { status: "conflict", reason: "idempotency-key" };
  }
  if (known.status === "written") return { status: "replayed" };
  const landing = findLanding(stored, batch, known.before);
  if (landing === "unclear") throw new ConversationStoreError(unknownOutcome(false));
  if (landing === "absent") return undefined;
  noteWrite(notes, write);
  return { status: "written" };
}

/** Throws unless the batch is there afterwards. */
async function append(
  { store, notes, stored }: Target,
  { conversationId, idempotency }: ConversationWrite,
  batch: readonly Message[],
): Promise<void> {
  try {
    await store.append(conversationId, [...batch]);
  } catch (cause) {
    const now = await loadMessages(store, conversationId).catch(() => undefined);
    const landing = now && findLanding(now, batch, stored.length);
    if (landing === "landed") return;
    if (idempotency !== undefined) {
      const { key, bodyHash } = idempotency;
      rememberKey(notes, key, { bodyHash, status: "open", before: stored.length });
    }
    if (landing === "absent") throw cause;
    // Under a key the next attempt looks again before it appends.
    const isSafeToRetry = landing === undefined && idempotency !== undefined;
    throw new ConversationStoreError(unknownOutcome(isSafeToRetry, cause));
  }
}

function noteWrite(notes: Notes, { userId, metadata, idempotency }: ConversationWrite): void {
  notes.metadata = { ...notes.metadata, ...metadata };
  notes.userId ??= userId;
  notes.lastActivity = new Date();
  if (idempotency === undefined) return;
  const { key, bodyHash } = idempotency;
  rememberKey(notes, key, { bodyHash, status: "written" });
}

function unknownOutcome(retryable: boolean, cause?: unknown) {
  const reason =
    "the conversation store's append() threw, and nobody can tell whether it wrote. Load the conversation before you write to it again";
  return createMemoryStorageError("appendMessages", reason, { provider: PROVIDER, retryable, cause });
}
