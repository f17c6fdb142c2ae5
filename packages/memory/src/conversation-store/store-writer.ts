import { decodeMessage } from "../codec/messages.ts";
import { sameJson } from "../codec/same-json.ts";
import {
  type ConversationWrite,
  IDEMPOTENCY_WINDOW,
  type Tombstones,
  type WriteOutcome,
} from "../contract/backend.ts";
import type { Message } from "../contract/message.ts";
import { sanitizeConversation } from "../history/messages/sanitizer.ts";
import { decideWrite } from "../in-memory/write.ts";
import { setBounded } from "../runtime/objects.ts";
import { applyToLocalState, type LoadedConversation } from "./local-state.ts";
import {
  type AnyConversationStore,
  type ConversationStoreError,
  invalidInput,
  PROVIDER,
  storeFailure,
} from "./store.ts";
import { loadMessages } from "./store-reader.ts";

const UNSUPPORTED = {
  maxMessages: "drop messages",
  dropLast: "drop messages",
  ttlSeconds: "let a conversation expire",
  childOf: "hold children of conversations",
} as const;

/**
 * Throws {@link ConversationStoreError} if the write needs something that the five methods of a store can't do (e.g.
 * `dropLast`).
 */
export function refuseUnsupported(write: ConversationWrite): void {
  const lacks = Object.entries(UNSUPPORTED)
    .filter(([option]) => write[option as keyof typeof UNSUPPORTED] !== undefined)
    .map(([option, lack]) => [`options.${option}`, lack]);
  if (write.messages.some(({ own }) => own !== undefined)) {
    lacks.push(["options.messageIds", "keep ids of messages"]);
  }
  if (write.source !== undefined)
    lacks.push(["record", "import a conversation; create one and append its messages"]);
  else if (write.mode === "replace") lacks.push(["messages", "replace messages; append them"]);
  if (lacks.length === 0) return;
  const issues = lacks.map(([path = "", lack]) => ({
    path,
    expected: `nothing: a conversation store can't ${lack}`,
  }));
  throw invalidInput(issues, { provider: PROVIDER });
}

/** No tombstones and no parents. */
const nothingAround = {
  // A conversation store needs no tombstones, because the caller of `create` can't choose the id.
  tombstones: (): Tombstones => ({ conversation: null, user: null }),
  parent: () => undefined,
};

/**
 * Checks a write by the rules of the in-memory backend, then appends its messages. Only call this function in the task
 * of `StoreState.queue` that has loaded the conversation.
 */
export async function writeToStore(
  store: AnyConversationStore,
  loaded: LoadedConversation | null,
  write: ConversationWrite,
): Promise<WriteOutcome> {
  if (loaded === null) return decideWrite(undefined, write, nothingAround) ?? { status: "missing" };
  if (hasOtherBody(loaded, write)) return { status: "conflict", reason: "idempotency-key" };
  resolveOpenAppend(loaded, write.idempotency?.key);
  const decided = decideWrite(loaded.local.entry, write, nothingAround);
  if (decided !== undefined) return decided;
  if (write.messages.length > 0) await append(store, loaded, write);
  applyToLocalState(loaded.local, write);
  return { status: "written" };
}

const batchOf = ({ messages }: ConversationWrite): readonly Message[] =>
  messages.map(({ body }, index) => decodeMessage(body, index));

/** Whether an earlier write with the same idempotency key but other messages has an unknown result. */
function hasOtherBody({ local }: LoadedConversation, { idempotency }: ConversationWrite): boolean {
  // The store may still store the messages of the earlier write, so the new write must not be made.
  const open = idempotency && local.open.get(idempotency.key);
  return open !== undefined && open.write.idempotency?.bodyHash !== idempotency?.bodyHash;
}

/**
 * If an `append` under this idempotency key threw, finds out whether it stored its messages. Throws {@link
 * ConversationStoreError} if the loaded messages don't show it.
 */
export function resolveOpenAppend({ local, messages }: LoadedConversation, key: string | undefined): void {
  // If they are stored, that append counts as written.
  const open = key === undefined ? undefined : local.open.get(key);
  if (open === undefined) return;
  const outcome = findAppendOutcome(messages, batchOf(open.write), open.before);
  if (outcome === "unclear") throw unknownOutcome(false);
  // The messages of the append were already counted when the conversation was loaded.
  if (outcome === "appended") applyToLocalState(local, { ...open.write, messages: [] });
}

/** Appends the messages. Throws if the store's `append` throws and the messages aren't stored. */
async function append(
  store: AnyConversationStore,
  { local, messages }: LoadedConversation,
  write: ConversationWrite,
): Promise<void> {
  const { conversationId, idempotency } = write;
  const batch = batchOf(write);
  const before = messages.length;
  try {
    await store.append(conversationId, [...batch]);
  } catch (cause) {
    const now = await loadMessages(store, conversationId).catch(() => undefined);
    const outcome = now && findAppendOutcome(now, batch, before);
    if (outcome === "appended") return;
    if (idempotency !== undefined) {
      setBounded(local.open, [idempotency.key, { write, before }], IDEMPOTENCY_WINDOW);
    }
    if (outcome === "absent") throw cause;
    // If the messages couldn't be loaded, the error is retryable for a write with an idempotency key: the next attempt
    // checks again before it appends.
    throw unknownOutcome(outcome === undefined && idempotency !== undefined, cause);
  }
}

function unknownOutcome(retryable: boolean, cause?: unknown): ConversationStoreError {
  const reason =
    "the conversation store's append() threw, so it is unknown whether the messages are stored. Load the conversation before you write to it again";
  return storeFailure("appendMessages", reason, { retryable, cause });
}

// A store may drop the other fields of a message, add its own fields, and return `null` for missing fields.
/** Returns the values of those message fields that every store keeps. */
const comparedFields = ({ role, content, tool_call_id, tool_calls }: Message) => [
  role,
  content,
  tool_call_id ?? undefined,
  tool_calls ?? undefined,
];

/** Whether two messages are equal in the fields that every store keeps. The order of object keys doesn't matter. */
const sameMessage = (one: Message, other: Message | undefined): boolean =>
  other !== undefined && sameJson(comparedFields(one), comparedFields(other));

/**
 * Whether an `append` that threw has stored its messages:
 *
 * - `"appended"`: all of them.
 * - `"absent"`: none of them.
 * - `"unclear"`: `load` returns only a part of the messages, or may hide them.
 */
type AppendOutcome = "appended" | "absent" | "unclear";

/**
 * Finds out whether the messages of an append (`batch`, not empty) are stored now. `before` is the number of messages
 * before the append.
 */
function findAppendOutcome(
  now: readonly Message[],
  batch: readonly Message[],
  before: number,
): AppendOutcome {
  let began = false;
  for (let start = before; start < now.length; start++) {
    const matched = batch.findIndex((message, index) => !sameMessage(message, now[start + index]));
    if (matched === -1) return "appended";
    if (matched > 0) began = true;
  }
  return began || now.length < before || mayBeHidden(now, batch) ? "unclear" : "absent";
}

/** Whether the store's `load` may hide messages of the batch (e.g. pending calls). */
const mayBeHidden = (now: readonly Message[], batch: readonly Message[]): boolean =>
  sanitizeConversation([...now, ...batch]).length < now.length + batch.length &&
  sanitizeConversation(now).length === now.length;
