import type {
  ConversationReading,
  ConversationRecord,
  Message,
  Result,
  VersionedMemoryProvider,
} from "@jaf/memory";
import type { Place } from "./history.ts";
import type { Operation, OperationOf, Program } from "./program.ts";
import { defined } from "./readings.ts";
import { batchOf, parseText, tokenOf } from "./texts.ts";

/** The context of one attempt of an operation. */
export interface Attempt {
  readonly program: Program;
  readonly place: Place;
  /** The store as the attempt accesses it. */
  readonly store: VersionedMemoryProvider;
  /** The worker's latest export of each conversation. */
  readonly exported: Map<number, ConversationRecord>;
}

/** How often a decision is repeated after a conflict. */
const MOST_TRIES = 4;

const idOf = ({ program }: Attempt, { conversation }: { readonly conversation: number }): string =>
  program.conversationIds[conversation] ?? "";

const ownerOf = ({ program }: Attempt, { user }: { readonly user?: number }) =>
  user === undefined ? {} : defined({ userId: program.userIds[user] });

const nameOf = ({ program, place }: Attempt): string => tokenOf(program.seed, place);

async function append(attempt: Attempt, operation: OperationOf<"append">): Promise<void> {
  const { size, creates, identity, maxMessages, user } = operation;
  const name = nameOf(attempt);
  const messages = batchOf(name, size);
  await attempt.store.appendMessages(idOf(attempt, operation), messages, ownerOf(attempt, operation), {
    ...(creates ? { createIfMissing: user === undefined ? ("unowned" as const) : true } : {}),
    ...(identity === "idempotency key" ? { idempotencyKey: name } : {}),
    ...(identity === "message ids" ? { messageIds: messages.map(({ content }) => content) } : {}),
    ...defined({ maxMessages }),
  });
}

/** The id of a message that was written with one. No other batch has its text. */
const ownIdOf = ({ content }: Message): string | null =>
  parseText(content)?.kind === "batch" ? content : null;

/** Reads, decides and writes, again after a conflict. `decide` returns `undefined` if there is nothing to write. */
async function readAndWrite(
  attempt: Attempt,
  operation: { readonly conversation: number },
  write: (read: ConversationReading, tried: number) => Promise<Result<void>> | undefined,
): Promise<void> {
  for (let tried = 1; tried <= MOST_TRIES; tried++) {
    const read = await attempt.store.readConversation(idOf(attempt, operation));
    if (!read.success) return;
    const result = await write(read.data, tried);
    if (result === undefined || result.success || result.error._tag !== "MemoryConflictError") return;
  }
}

/** The expectations of a write that is decided on the messages or the metadata. */
const messagesAsIn = ({ conversation, incarnation }: ConversationReading) => ({
  expectedIncarnation: incarnation,
  expectedVersion: conversation?.metadata?.version ?? 0,
});
const metadataAsIn = ({ conversation, incarnation }: ConversationReading) => ({
  expectedIncarnation: incarnation,
  expectedMetadataVersion: conversation?.metadata?.metadataVersion ?? 0,
});

function store(attempt: Attempt, operation: OperationOf<"store">): Promise<unknown> {
  const { size, expects } = operation;
  const owner = ownerOf(attempt, operation);
  const id = idOf(attempt, operation);
  if (!expects) return attempt.store.storeMessages(id, batchOf(nameOf(attempt), size), owner);
  return readAndWrite(attempt, operation, (read, tried) => {
    const messages = batchOf(nameOf(attempt), size, `try${tried}`);
    // The token of the absent conversation was read without a user, so it is for a conversation without an owner.
    const metadata = read.conversation === null ? {} : owner;
    return attempt.store.storeMessages(id, messages, metadata, messagesAsIn(read));
  });
}

async function pop(attempt: Attempt, operation: OperationOf<"pop">): Promise<void> {
  const { count, by, size } = operation;
  const id = idOf(attempt, operation);
  await readAndWrite(attempt, operation, (read, tried) => {
    const { conversation } = read;
    const there: readonly Message[] = conversation?.messages ?? [];
    if (conversation === null || there.length < count) return undefined;
    const added = size === 0 ? [] : batchOf(nameOf(attempt), size, `try${tried}`);
    if (by === "dropLast") {
      return attempt.store.appendMessages(id, added, undefined, { ...messagesAsIn(read), dropLast: count });
    }
    const fields = { title: conversation.metadata?.["title"], counter: conversation.metadata?.["counter"] };
    const kept = [...there.slice(0, -count), ...added];
    // An id is forgotten with its message, and this writes the messages again.
    const messageIds = kept.map((message) => (there.includes(message) ? ownIdOf(message) : null));
    const expected = { ...messagesAsIn(read), ...metadataAsIn(read), messageIds };
    return attempt.store.storeMessages(id, kept, defined(fields), expected);
  });
}

function rename(attempt: Attempt, operation: OperationOf<"rename">): Promise<void> {
  return readAndWrite(attempt, operation, (read, tried) => {
    const title = `${nameOf(attempt)} title ${tried}`;
    return attempt.store.appendMessages(idOf(attempt, operation), [], { title }, metadataAsIn(read));
  });
}

function increment(attempt: Attempt, operation: OperationOf<"increment">): Promise<void> {
  return readAndWrite(attempt, operation, (read) => {
    const counter = Number(read.conversation?.metadata?.["counter"] ?? 0) + 1;
    const options = { ...metadataAsIn(read), createIfMissing: "unowned" as const };
    return attempt.store.appendMessages(idOf(attempt, operation), [], { counter }, options);
  });
}

async function exportIt(attempt: Attempt, operation: OperationOf<"export">): Promise<void> {
  const read = await attempt.store.exportConversation(idOf(attempt, operation));
  if (read.success && read.data !== null) attempt.exported.set(operation.conversation, read.data);
}

async function importIt(attempt: Attempt, operation: OperationOf<"import">): Promise<void> {
  const record = attempt.exported.get(operation.conversation);
  if (record === undefined) return;
  const { store } = attempt;
  if (!operation.expects) return void (await store.importConversation(record));
  const read = await store.readConversation(record.conversationId, {
    messages: "none",
    ...defined({ userId: record.userId }),
  });
  if (!read.success) return;
  await store.importConversation(record, { expectedIncarnation: read.data.incarnation });
}

async function read(attempt: Attempt, operation: OperationOf<"read">): Promise<unknown> {
  const { store, program } = attempt;
  const id = idOf(attempt, operation);
  switch (operation.how) {
    case "whole":
      return store.getConversation(id);
    case "part":
      return store.readConversation(id, { messages: { before: 1_000, limit: 3 } });
    case "recent":
      return store.getRecentMessages(id, 4);
    case "found":
      return store.findConversations({ userId: program.userIds[0] ?? "" });
  }
}

/** All operations except runs. */
export function perform(attempt: Attempt, operation: Exclude<Operation, { kind: "run" }>): Promise<unknown> {
  switch (operation.kind) {
    case "append":
      return append(attempt, operation);
    case "store":
      return store(attempt, operation);
    case "delete":
      return attempt.store.deleteConversation(idOf(attempt, operation));
    case "clear":
      return attempt.store.clearUserConversations(attempt.program.userIds[operation.user] ?? "");
    case "export":
      return exportIt(attempt, operation);
    case "import":
      return importIt(attempt, operation);
    case "pop":
      return pop(attempt, operation);
    case "rename":
      return rename(attempt, operation);
    case "increment":
      return increment(attempt, operation);
    case "read":
      return read(attempt, operation);
  }
}
