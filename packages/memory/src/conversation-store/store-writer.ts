import type { ConversationWrite, WriteOutcome } from "../backend/backend.ts";
import { decodeMessage } from "../codec/decode.ts";
import { createMemoryStorageError, createMemoryValidationError, type MemoryIssue } from "../errors.ts";
import { isErasedSince, type Tombstones } from "../incarnation.ts";
import type { Message } from "../message.ts";
import { ConversationStoreError } from "./error.ts";
import type { AnyConversationStore } from "./store.ts";
import { findLanding, loadMessages } from "./store-messages.ts";
import { type KeyNote, type Notes, rememberKey } from "./store-state.ts";

const PROVIDER = "conversation-store";

interface Target {
  readonly store: AnyConversationStore;
  readonly notes: Notes;
  readonly owner: string | undefined;
  /** The messages that are there. */
  readonly stored: readonly Message[];
}

/** What five methods can't do. Throws {@link ConversationStoreError}. */
export function refuseUnsupported(write: ConversationWrite): void {
  const { mode, messages, source, dropLast, maxMessages, ttlSeconds } = write;
  const issues: MemoryIssue[] = [];
  const refuse = (path: string, lacks: string) =>
    issues.push({ path, expected: `nothing: a conversation store can't ${lacks}` });
  if (maxMessages !== undefined) refuse("options.maxMessages", "drop messages");
  if (dropLast !== undefined) refuse("options.dropLast", "drop messages");
  if (ttlSeconds !== undefined) refuse("options.ttlSeconds", "let a conversation expire");
  if (messages.some(({ own }) => own !== undefined)) refuse("options.messageIds", "keep ids of messages");
  if (source !== undefined) refuse("record", "import a conversation; create one and append its messages");
  else if (mode === "replace") refuse("messages", "replace messages; append them");
  if (issues.length > 0) {
    throw new ConversationStoreError(createMemoryValidationError(issues, { provider: PROVIDER }));
  }
}

/** Decides about a write to a conversation that isn't there: five methods make none under a given id. */
export function decideAbsent(write: ConversationWrite, tombstones: Tombstones): WriteOutcome {
  const { expectedIncarnation: expected, expectedVersion = 0, expectedMetadataVersion = 0 } = write;
  const isExpected =
    expected === undefined || ("absent" in expected && !isErasedSince(expected.absent, tombstones));
  if (!isExpected) return { status: "conflict", reason: "incarnation" };
  if (expectedVersion !== 0) return { status: "conflict", reason: "version", actualVersion: 0 };
  if (expectedMetadataVersion !== 0) {
    return { status: "conflict", reason: "metadata-version", actualVersion: 0 };
  }
  return { status: "missing" };
}

/** Decides as every backend does, then appends. Call it in turn, on notes that know `stored`. */
export async function writeToStore(target: Target, write: ConversationWrite): Promise<WriteOutcome> {
  const { notes, owner } = target;
  if (owner !== undefined && write.userId !== undefined && owner !== write.userId) {
    return { status: "conflict", reason: "owner" };
  }
  const batch = write.messages.map(({ body }, index) => decodeMessage(body, index));
  const settled = settleKey(target, write) ?? refuseUnexpected(notes, write);
  if (settled !== undefined) return settled;
  if (batch.length > 0) {
    await append(target, write, batch);
    notes.version += 1;
    notes.count = (notes.count ?? 0) + batch.length;
    notes.visible = undefined;
  }
  noteWrite(notes, write);
  return { status: "written" };
}

function refuseUnexpected(notes: Notes, write: ConversationWrite): WriteOutcome | undefined {
  const { expectedIncarnation: expected, expectedVersion, expectedMetadataVersion } = write;
  const { incarnation, version, metadataVersion } = notes;
  if (expected !== undefined && !("present" in expected && expected.present === incarnation)) {
    return { status: "conflict", reason: "incarnation" };
  }
  if (expectedVersion !== undefined && expectedVersion !== version) {
    return { status: "conflict", reason: "version", actualVersion: version };
  }
  if (expectedMetadataVersion !== undefined && expectedMetadataVersion !== metadataVersion) {
    return { status: "conflict", reason: "metadata-version", actualVersion: metadataVersion };
  }
  return undefined;
}

function settleKey({ notes, stored }: Target, write: ConversationWrite): WriteOutcome | undefined {
  const known = write.idempotency && notes.keys.get(write.idempotency.key);
  if (known === undefined) return undefined;
  if (known.bodyHash !== write.idempotency?.bodyHash) {
    return { status: "conflict", reason: "idempotency-key" };
  }
  if (known.status === "written") return { status: "replayed" };
  if (!hasLanded(stored, known)) return undefined;
  noteWrite(notes, write);
  return { status: "written" };
}

type OpenKey = Extract<KeyNote, { readonly status: "open" }>;

/** Throws {@link ConversationStoreError} where nobody can tell. */
function hasLanded(stored: readonly Message[], { batch, before }: OpenKey): boolean {
  const landing = findLanding(stored, batch, before);
  if (landing === "unclear") throw new ConversationStoreError(unknownOutcome(false));
  return landing === "landed";
}

/** The position behind the last message after the write with this key, if it was done. Throws as {@link hasLanded}. */
export function receiptOf(
  { notes, stored }: Pick<Target, "notes" | "stored">,
  key: string,
): { readonly nextPosition: number } | undefined {
  const known = notes.keys.get(key);
  if (known === undefined) return undefined;
  if (known.status === "written") return { nextPosition: known.nextPosition };
  return hasLanded(stored, known) ? { nextPosition: notes.count ?? stored.length } : undefined;
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
      rememberKey(notes, key, { bodyHash, status: "open", before: stored.length, batch });
    }
    if (landing === "absent") throw cause;
    // Under a key the next attempt looks again before it appends.
    const isSafeToRetry = landing === undefined && idempotency !== undefined;
    throw new ConversationStoreError(unknownOutcome(isSafeToRetry, cause));
  }
}

function noteWrite(notes: Notes, { userId, metadata, idempotency }: ConversationWrite): void {
  notes.metadata = { ...notes.metadata, ...metadata };
  if (Object.keys(metadata).length > 0) notes.metadataVersion += 1;
  notes.userId ??= userId;
  notes.lastActivity = new Date();
  if (idempotency === undefined) return;
  const { key, bodyHash } = idempotency;
  rememberKey(notes, key, { bodyHash, status: "written", nextPosition: notes.count ?? 0 });
}

function unknownOutcome(retryable: boolean, cause?: unknown) {
  const reason =
    "the conversation store's append() threw, and nobody can tell whether it wrote. Load the conversation before you write to it again";
  return createMemoryStorageError("appendMessages", reason, { provider: PROVIDER, retryable, cause });
}
