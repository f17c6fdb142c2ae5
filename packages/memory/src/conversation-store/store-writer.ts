import type { ConversationWrite, WriteOutcome } from "../backend/backend.ts";
import { decodeMessage } from "../codec/decode.ts";
import { createMemoryStorageError, createMemoryValidationError, type MemoryIssue } from "../errors.ts";
import { isErasedSince, type Tombstones } from "../incarnation.ts";
import type { Message } from "../message.ts";
import { findAppendOutcome, loadMessages } from "./loaded-messages.ts";
import { type KeyOutcome, type LocalState, recordKey } from "./local-state.ts";
import type { AnyConversationStore } from "./store.ts";
import { ConversationStoreError } from "./store-error.ts";

const PROVIDER = "conversation-store";

interface Target {
  readonly store: AnyConversationStore;
  readonly local: LocalState;
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

/** Decides as every backend does, then appends. Call it from `inTurn`, with a local state that includes `stored`. */
export async function writeToStore(target: Target, write: ConversationWrite): Promise<WriteOutcome> {
  const { local, owner } = target;
  if (owner !== undefined && write.userId !== undefined && owner !== write.userId) {
    return { status: "conflict", reason: "owner" };
  }
  const batch = write.messages.map(({ body }, index) => decodeMessage(body, index));
  const decided = decideByKey(target, write) ?? refuseUnexpected(local, write);
  if (decided !== undefined) return decided;
  if (batch.length > 0) {
    await append(target, write, batch);
    local.version += 1;
    local.count = (local.count ?? 0) + batch.length;
    local.visible = undefined;
  }
  recordWrite(local, write);
  return { status: "written" };
}

function refuseUnexpected(local: LocalState, write: ConversationWrite): WriteOutcome | undefined {
  const { expectedIncarnation: expected, expectedVersion, expectedMetadataVersion } = write;
  const { incarnation, version, metadataVersion } = local;
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

function decideByKey({ local, stored }: Target, write: ConversationWrite): WriteOutcome | undefined {
  const known = write.idempotency && local.keys.get(write.idempotency.key);
  if (known === undefined) return undefined;
  if (known.bodyHash !== write.idempotency?.bodyHash) {
    return { status: "conflict", reason: "idempotency-key" };
  }
  if (known.status === "written") return { status: "replayed" };
  if (!isAppended(stored, known)) return undefined;
  recordWrite(local, write);
  return { status: "written" };
}

type OpenKey = Extract<KeyOutcome, { readonly status: "open" }>;

/** Throws {@link ConversationStoreError} where that can't be known. */
function isAppended(stored: readonly Message[], { batch, before }: OpenKey): boolean {
  const outcome = findAppendOutcome(stored, batch, before);
  if (outcome === "unclear") throw new ConversationStoreError(unknownOutcome(false));
  return outcome === "appended";
}

/** The position behind the last message after the write with this key, if it was done. Throws as {@link isAppended}. */
export function receiptOf(
  { local, stored }: Pick<Target, "local" | "stored">,
  key: string,
): { readonly nextPosition: number } | undefined {
  const known = local.keys.get(key);
  if (known === undefined) return undefined;
  if (known.status === "written") return { nextPosition: known.nextPosition };
  return isAppended(stored, known) ? { nextPosition: local.count ?? stored.length } : undefined;
}

/** Throws unless the batch is stored afterwards. */
async function append(
  { store, local, stored }: Target,
  { conversationId, idempotency }: ConversationWrite,
  batch: readonly Message[],
): Promise<void> {
  try {
    await store.append(conversationId, [...batch]);
  } catch (cause) {
    const now = await loadMessages(store, conversationId).catch(() => undefined);
    const outcome = now && findAppendOutcome(now, batch, stored.length);
    if (outcome === "appended") return;
    if (idempotency !== undefined) {
      const { key, bodyHash } = idempotency;
      recordKey(local, key, { bodyHash, status: "open", before: stored.length, batch });
    }
    if (outcome === "absent") throw cause;
    // Under a key the next attempt looks again before it appends.
    const isSafeToRetry = outcome === undefined && idempotency !== undefined;
    throw new ConversationStoreError(unknownOutcome(isSafeToRetry, cause));
  }
}

function recordWrite(local: LocalState, { userId, metadata, idempotency }: ConversationWrite): void {
  local.metadata = { ...local.metadata, ...metadata };
  if (Object.keys(metadata).length > 0) local.metadataVersion += 1;
  local.userId ??= userId;
  local.lastActivity = new Date();
  if (idempotency === undefined) return;
  const { key, bodyHash } = idempotency;
  recordKey(local, key, { bodyHash, status: "written", nextPosition: local.count ?? 0 });
}

function unknownOutcome(retryable: boolean, cause?: unknown) {
  const reason =
    "the conversation store's append() threw, and whether it wrote is unknown. Load the conversation before you write to it again";
  return createMemoryStorageError("appendMessages", reason, { provider: PROVIDER, retryable, cause });
}
