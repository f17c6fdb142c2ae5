import { createMemoryValidationError } from "../../../src/adapter.ts";
import {
  createFailure,
  createMemoryStorageError,
  createSuccess,
  type Message,
  type VersionedMemoryProvider,
} from "../../../src/index.ts";
import { type BrokenProvider, broken } from "./broken.ts";

type Write = VersionedMemoryProvider["appendMessages"];

const writing = (change: (write: Write) => Write) => (intact: VersionedMemoryProvider) => ({
  appendMessages: change(intact.appendMessages),
});

const shorten = (message: Message): Message =>
  message.content.length > 65_535 ? { ...message, content: message.content.slice(0, 65_535) } : message;

/** Providers with one plausible mistake each that shows with unusual sizes, or between conversations and users. */
export const brokenLimits: Readonly<Record<string, BrokenProvider>> = {
  "cuts long texts off": broken(
    "sizes: of a message can be 1 MB, in any script, in every read",
    writing(
      (write) =>
        (id, messages, ...rest) =>
          write(id, messages.map(shorten), ...rest),
    ),
  ),

  "binds at most so many parameters": broken(
    "sizes: of a batch can be 5,000 messages, stored completely and in order",
    writing(
      (write) =>
        (id, messages, ...rest) =>
          write(id, messages.slice(0, 4_096), ...rest),
    ),
  ),

  "stores values without end": broken("sizes: of a value can be 200 levels, and no more", (intact) => ({
    appendMessages: async (id, messages, ...rest) => {
      const written = await intact.appendMessages(id, messages, ...rest);
      return written.success || written.error._tag !== "MemoryValidationError"
        ? written
        : createSuccess(undefined);
    },
  })),

  "cuts ids to its column": broken(
    "sizes: of an id can be 255 characters, but not 256",
    writing(
      (write) =>
        (id, ...rest) =>
          write(id.slice(0, 255), ...rest),
    ),
  ),

  "writes nothing under an aborted signal": broken(
    "options of a write: can be a signal, aborted or not, which changes nothing",
    writing((write) => async (id, messages, metadata, options) => {
      if (options?.signal?.aborted !== true) return write(id, messages, metadata, options);
      return createFailure(createMemoryStorageError("appendMessages", "it was aborted"));
    }),
  ),

  "refuses a signal of a read as an unknown option": broken(
    "options of a write: can be a signal, aborted or not, which changes nothing",
    (intact) => ({
      readConversation: async (id, options) => {
        if (options?.signal === undefined) return intact.readConversation(id, options);
        const issue = { path: "options.signal", expected: "no such field" };
        return createFailure(createMemoryValidationError([issue]));
      },
    }),
  ),

  "keeps a page of metadata": broken(
    "sizes: of metadata can be 500 fields and a long text",
    writing((write) => (id, messages, metadata, options) => {
      const kept = Object.fromEntries(Object.entries(metadata ?? {}).slice(0, 256));
      return write(id, messages, kept, options);
    }),
  ),

  "keeps the last hundred traces": broken(
    "sizes: of a history can be 200 traces, and each finds it",
    (intact) => ({
      findConversations: async (query) => {
        const found = await intact.findConversations(query);
        if (!found.success || query.traceId === undefined) return found;
        const last = (conversation: (typeof found.data)[number]) =>
          Number(String(conversation.metadata?.["traceId"]).replace("trace ", ""));
        const asked = Number(query.traceId.replace("trace ", ""));
        return createSuccess(found.data.filter((conversation) => last(conversation) - asked < 100));
      },
    }),
  ),

  "finds by trace for any owner": broken(
    "other users: show nothing for any other condition of the query",
    (intact) => ({
      findConversations: ({ userId, ...query }) =>
        intact.findConversations(
          query.traceId === undefined && userId !== undefined ? { ...query, userId } : query,
        ),
    }),
  ),

  "counts all users' conversations": broken("other users: count and clear apart", (intact) => ({
    getStats: () => intact.getStats(),
  })),

  "counts all users' conversations for an undefined user": broken(
    "getStats: refuses an undefined user, and shows no totals of all users",
    (intact) => ({
      getStats: (userId) => (userId === undefined ? intact.getStats() : intact.getStats(userId)),
    }),
  ),

  "passes a missing argument on as undefined": broken(
    "getStats: counts all users', or one user's",
    (intact) => ({ getStats: (userId) => intact.getStats(userId) }),
  ),

  "lets in who knows the version": broken(
    "other users: can't take over a conversation with any knowledge of it",
    (intact) => ({
      appendMessages: (id, messages, { userId, ...metadata } = {}, options) =>
        intact.appendMessages(
          id,
          messages,
          userId === undefined || options?.expectedVersion !== undefined ? metadata : { ...metadata, userId },
          options,
        ),
    }),
  ),

  "caches the metadata of the conversation before": broken(
    "other conversations: keep messages, metadata, versions and owners to themselves",
    (intact) => {
      let fields = {};
      return {
        appendMessages: (id, messages, { userId, ...metadata } = {}, options) => {
          fields = { ...fields, ...metadata };
          return intact.appendMessages(
            id,
            messages,
            userId === undefined ? fields : { ...fields, userId },
            options,
          );
        },
      };
    },
  ),

  "forgets all keys with a deletion": broken(
    "other conversations: keep expected versions, keys and trims to themselves",
    (intact) => {
      let era = 0;
      return {
        deleteConversation: (id) => {
          era += 1;
          return intact.deleteConversation(id);
        },
        appendMessages: (id, messages, metadata, options) =>
          intact.appendMessages(id, messages, metadata, {
            ...options,
            ...(options?.idempotencyKey === undefined
              ? {}
              : { idempotencyKey: `${options.idempotencyKey}-${era}` }),
          }),
      };
    },
  ),

  "drops a trace with the first conversation of it": broken(
    "other conversations: keep their traces to themselves",
    (intact) => {
      let dropped = false;
      return {
        deleteConversation: (id) => {
          dropped = true;
          return intact.deleteConversation(id);
        },
        findConversations: async (query) =>
          dropped && query.traceId === "t" ? createSuccess([]) : intact.findConversations(query),
      };
    },
  ),
};
