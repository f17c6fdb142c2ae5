import type {
  ConversationRecord,
  Message,
  VersionedMemoryProvider,
  WriteMetadata,
  WriteOptions,
} from "@jaf/memory";
import { type Basis, now, type Place, type ReadCall, type Reading, type WriteCall } from "./history.ts";
import type { Operation } from "./program.ts";
import {
  defined,
  readingOf,
  readingOfLast,
  readingOfPart,
  readingOfRecord,
  readingOfWhole,
  textsOf,
} from "./readings.ts";
import type { Record } from "./recorder.ts";

export interface RecordedStoreOptions {
  readonly store: VersionedMemoryProvider;
  readonly record: Record;
  readonly place: Place;
  readonly kind: Operation["kind"] | "survey";
}

type Writing = Partial<WriteCall> & Pick<WriteCall, "conversationId" | "mode">;

/** A store as one attempt of an operation accesses it. */
export function recordStore({ store, record, place, kind }: RecordedStoreOptions): VersionedMemoryProvider {
  const bases = new Map<string, Basis>();
  const called = () => ({ place, kind, begin: now() });

  function remember(reading: Reading): void {
    const { conversationId, isThere, texts, incarnation, owner, version, title } = reading;
    const known = defined({ incarnation, owner, version, title });
    bases.set(conversationId, { isThere, texts, end: now(), ...known });
  }
  function basisOf({ conversationId, expectedIncarnation }: Writing) {
    const basis = bases.get(conversationId);
    return basis === undefined || (kind !== "run" && expectedIncarnation === undefined) ? {} : { basis };
  }
  const write = (writing: Writing, action: () => ReturnType<VersionedMemoryProvider["appendMessages"]>) =>
    record({
      call: {
        ...{ type: "write", texts: [], creates: true, changesMetadata: false },
        ...called(),
        ...basisOf(writing),
        ...writing,
      },
      point: { label: writing.mode, on: "write" },
      action,
    });
  const read = (conversationId?: string): { call: ReadCall; point: { label: string; on: "read" } } => ({
    call: { type: "read", ...called(), ...defined({ conversationId }) },
    point: { label: "read", on: "read" },
  });
  const erasure = { label: "erase", on: "write" } as const;

  return {
    ...store,
    storeMessages: (id, messages, metadata, options) =>
      write(
        { conversationId: id, mode: "replace", ...said(kind, messages, metadata, options), creates: true },
        () => store.storeMessages(id, messages, metadata, options),
      ),
    appendMessages: (id, messages, metadata, options) =>
      write({ conversationId: id, mode: "append", ...said(kind, messages, metadata, options) }, () =>
        store.appendMessages(id, messages, metadata, options),
      ),
    importConversation: (imported, options) =>
      write({ conversationId: imported.conversationId, mode: "import", ...saidOf(imported, options) }, () =>
        store.importConversation(imported, options),
      ),
    deleteConversation: (conversationId) =>
      record({
        call: { type: "erasure", ...called(), conversationId },
        point: erasure,
        action: () => store.deleteConversation(conversationId),
      }),
    clearUserConversations: (userId) =>
      record({
        call: { type: "erasure", ...called(), userId },
        point: erasure,
        action: () => store.clearUserConversations(userId),
      }),
    getConversation: (id) =>
      record({
        ...read(id),
        action: () => store.getConversation(id),
        readings: (data) => kept([readingOfWhole(id, data)], remember),
      }),
    readConversation: (id, options) =>
      record({
        ...read(id),
        action: () => store.readConversation(id, options),
        readings: (data) => {
          const reading = readingOfPart(id, data, (options?.messages ?? "all") === "all");
          return kept([reading], options?.messages === "none" && kind === "run" ? undefined : remember);
        },
      }),
    exportConversation: (id) =>
      record({
        ...read(id),
        action: () => store.exportConversation(id),
        readings: (data) => [readingOfRecord(id, data)],
      }),
    findConversations: (query) =>
      record({
        ...read(),
        action: () => store.findConversations(query),
        readings: (data) => data.map((found) => readingOf(found, query.includeMessages !== false)),
      }),
    getRecentMessages: (id, limit) =>
      record({
        ...read(id),
        action: () => store.getRecentMessages(id, limit),
        readings: (data) => [readingOfLast(id, data)],
      }),
  };
}

function kept(readings: readonly Reading[], remember: ((reading: Reading) => void) | undefined) {
  if (remember !== undefined) readings.forEach(remember);
  return readings;
}

/** A run ends with a reply without calls. */
const isFinal = ({ role, tool_calls: calls }: Message): boolean =>
  role === "assistant" && (calls?.length ?? 0) === 0;

function said(
  kind: RecordedStoreOptions["kind"],
  messages: readonly Message[],
  metadata: WriteMetadata = {},
  options: WriteOptions = {},
): Partial<WriteCall> {
  const { userId, title, counter, ...others } = metadata;
  const { dropLast, maxMessages, idempotencyKey, messageIds, createIfMissing } = options;
  const { expectedVersion, expectedMetadataVersion, expectedIncarnation } = options;
  const changes = [title, counter, ...Object.values(others)].some((value) => value !== undefined);
  return {
    texts: textsOf(messages),
    creates: createIfMissing !== undefined && createIfMissing !== false,
    changesMetadata: changes,
    ...(kind === "run" ? { finals: textsOf(messages.filter(isFinal)) } : {}),
    ...(messageIds === undefined ? {} : { hasIds: true as const }),
    ...defined({ userId, title, counter, dropLast, maxMessages, idempotencyKey }),
    ...defined({ expectedVersion, expectedMetadataVersion, expectedIncarnation }),
  };
}

function saidOf(
  { messages, userId, metadata, version }: ConversationRecord,
  options: Parameters<VersionedMemoryProvider["importConversation"]>[1],
): Partial<WriteCall> {
  return {
    ...said("import", messages, { ...metadata, ...(userId === undefined ? {} : { userId }) }, options),
    ...{ changesMetadata: true, creates: true, version },
  };
}
