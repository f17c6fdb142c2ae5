import { hash } from "node:crypto";
import type { ConversationWrite, StoredSelection } from "../../../src/contract/backend.ts";
import { brokenBackend, type Layer, readAll, trip, without, writing } from "./backend.ts";
import { type BrokenProvider, broken } from "./broken.ts";

/** Idempotency keys that only cover the result of `said`. */
const covering = (said: (write: ConversationWrite) => unknown): Layer =>
  writing((write) => {
    if (write.idempotency === undefined) return write;
    const bodyHash = hash("sha256", JSON.stringify(said(write)));
    return { ...write, idempotency: { ...write.idempotency, bodyHash } };
  });

const selecting =
  (change: (selection: StoredSelection) => StoredSelection): Layer =>
  (intact) => ({
    read: ({ messages, ...request }) => intact.read({ ...request, messages: change(messages) }),
  });

const lowered = (id: string): string => id.toLowerCase();

/** Providers with one plausible mistake each in writing, reading or moving a part of a conversation. */
export const brokenParts: Readonly<Record<string, BrokenProvider>> = {
  "covers the messages alone with a key": brokenBackend(
    "options.idempotencyKey, what it covers: refuses the key with a metadata field of another value, and changes nothing",
    covering(({ mode, messages }) => [mode, messages]),
  ),

  "excludes limits from what a key covers": brokenBackend(
    "options.idempotencyKey, what it covers: refuses the key with another limit, and changes nothing",
    covering((write) => without(write, "maxMessages", "create", "idempotency", "expectedVersion")),
  ),

  "includes expectations in what a key covers": brokenBackend(
    "options.idempotencyKey, what it covers: excludes expectations, and whether the write creates",
    covering((write) => without(write, "create", "idempotency")),
  ),

  "returns the end for every receipt": brokenBackend(
    "receipts: return the end of a write, even after other writes",
    (intact) => ({
      read: async (request) => {
        const read = await intact.read(request);
        if (read.conversation === null || read.receipt === undefined) return read;
        return { ...read, receipt: { nextPosition: read.conversation.nextPosition } };
      },
    }),
  ),

  "returns a receipt for a refused write": brokenBackend(
    "receipts: don't exist for refused writes and unknown keys",
    (intact) => {
      const seen = new Set<string>();
      return {
        write: (write) => {
          seen.add(`${write.conversationId}/${write.idempotency?.key}`);
          return intact.write(write);
        },
        read: async (request) => {
          const read = await intact.read(request);
          const isSeen = seen.has(`${request.conversationId}/${request.receiptFor}`);
          if (read.conversation === null || read.receipt !== undefined || !isSeen) return read;
          return { ...read, receipt: { nextPosition: read.conversation.nextPosition } };
        },
      };
    },
  ),

  "appends instead of replacing the end": brokenBackend(
    "options.dropLast: drops this many from the end, and adds the batch in their place",
    writing((write) => without(write, "dropLast")),
  ),

  "drops all messages if there are fewer": brokenBackend(
    "options.dropLast: is refused completely if there are fewer",
    (intact) => ({
      write: async ({ dropLast, ...write }) => {
        const total = (await readAll(intact, write.conversationId))?.totalMessages ?? 0;
        const left = Math.min(dropLast ?? 0, total);
        return intact.write(left === 0 ? write : { ...write, dropLast: left });
      },
    }),
  ),

  "counts how many there are before it drops": brokenBackend(
    "one conversation, changed by many: lets ten of fourteen blind drops pass if there are ten messages",
    (intact) => ({
      write: async (write) => {
        const total = (await readAll(intact, write.conversationId))?.totalMessages ?? 0;
        if ((write.dropLast ?? 0) > total) return intact.write(write);
        await trip();
        const written = await intact.write(write);
        const isLength = written.status === "conflict" && written.reason === "length";
        return isLength ? { status: "written" } : written;
      },
    }),
  ),

  "reuses positions after a replacement": brokenBackend(
    "options.dropLast: counts only stored messages",
    (intact) => ({
      read: async (request) => {
        const read = await intact.read(request);
        if (read.conversation === null) return read;
        const { conversation } = read;
        return { ...read, conversation: { ...conversation, nextPosition: conversation.totalMessages } };
      },
    }),
  ),

  "keeps no ids of messages": brokenBackend(
    "options.messageIds: finds a message and its position by its id",
    writing((write) => ({ ...write, messages: write.messages.map(({ own: _, ...message }) => message) })),
  ),

  "treats all content under an id as the same": brokenBackend(
    "options.messageIds: refuses another content under an id, and writes nothing",
    writing((write) => ({
      ...write,
      messages: write.messages.map((message) =>
        message.own === undefined ? message : { ...message, own: { ...message.own, hash: "same" } },
      ),
    })),
  ),

  "compares ids of messages without their case": brokenBackend(
    "options.messageIds: can be any valid id, and is compared exactly",
    (intact) => ({
      ...writing((write) => ({
        ...write,
        messages: write.messages.map((message) =>
          message.own === undefined
            ? message
            : { ...message, own: { ...message.own, id: lowered(message.own.id) } },
        ),
      }))(intact),
      ...selecting((selection) =>
        selection.kind === "message" ? { ...selection, messageId: lowered(selection.messageId) } : selection,
      )(intact),
    }),
  ),

  "selects from a position on, not after it": brokenBackend(
    "readConversation: returns every range of a whole conversation",
    selecting((selection) =>
      selection.kind === "range" && selection.after !== undefined
        ? { ...selection, after: selection.after - 1 }
        : selection,
    ),
  ),

  "counts positions from the stored messages": brokenBackend(
    "readConversation: returns every range of a conversation that was trimmed",
    (intact) => ({
      read: async (request) => {
        const { messages: selection } = request;
        if (selection.kind !== "range") return intact.read(request);
        const stored = await readAll(intact, request.conversationId);
        const first = (stored?.nextPosition ?? 0) - (stored?.totalMessages ?? 0);
        const shifted = (at: number | undefined, name: string) =>
          at === undefined ? {} : { [name]: at + first };
        const { after, before, ...rest } = selection;
        const messages = { ...rest, ...shifted(after, "after"), ...shifted(before, "before") };
        return intact.read({ ...request, messages });
      },
    }),
  ),

  "keeps no record of system content": brokenBackend(
    "metadata.systemContent: exists once a system or developer message was written",
    writing((write) => {
      const { systemContent: _, ...metadata } = write.metadata;
      return { ...write, metadata };
    }),
  ),

  "keeps metadata of before in a replacement": brokenBackend(
    "metadata.systemContent: is removed by a replacement without system content",
    (intact) => ({
      write: async (write) => {
        const before = write.mode === "replace" ? await readAll(intact, write.conversationId) : undefined;
        return intact.write({ ...write, metadata: { ...before?.metadata, ...write.metadata } });
      },
    }),
  ),

  "dates an import by its arrival": brokenBackend(
    "exportConversation and importConversation: keep everything when they move to another store",
    writing((write) =>
      write.source === undefined
        ? write
        : { ...write, source: { ...write.source, createdAt: new Date(), lastActivity: new Date() } },
    ),
  ),

  "imports without the earlier traces": brokenBackend(
    "exportConversation and importConversation: find an import by its user, each of its traces and the time of its source",
    writing((write) =>
      write.source === undefined ? write : { ...write, source: { ...write.source, traceIds: [] } },
    ),
  ),

  "imports over an existing conversation": brokenBackend(
    "exportConversation and importConversation: refuse an existing conversation, and leave it unchanged",
    writing((write) => (write.source === undefined ? write : without(write, "expectedVersion"))),
  ),

  "lets an import live from its arrival": brokenBackend(
    "options.ttlSeconds, and what a write expects: counts from the last activity of an import's source",
    writing((write) =>
      write.source === undefined
        ? write
        : { ...write, source: { ...write.source, lastActivity: new Date() } },
    ),
  ),

  "splits a group if the cut falls on its last result": brokenBackend(
    "options.maxMessages, every small history: is trimmed right when it is stored",
    writing((write) => ({
      ...write,
      messages: write.messages.map((message, index) =>
        index > 0 && index === write.messages.length - 1 ? { ...message, isToolResult: false } : message,
      ),
    })),
  ),

  "keeps one more of five when the batch is empty": brokenBackend(
    "options.maxMessages, every small history: is trimmed right by an empty batch",
    writing((write) =>
      write.messages.length === 0 && write.maxMessages === 5 ? { ...write, maxMessages: 6 } : write,
    ),
  ),

  "skips the owner check of an empty batch": brokenBackend(
    "other users: write nothing with an empty batch",
    writing((write) =>
      write.mode === "append" && write.messages.length === 0 ? without(write, "userId") : write,
    ),
  ),

  "skips the owner check of a replacement by nothing": brokenBackend(
    "other users: write nothing with an empty batch",
    writing((write) =>
      write.mode === "replace" && write.messages.length === 0 ? without(write, "userId") : write,
    ),
  ),

  "accepts any value for createIfMissing": broken(
    "options of a write: refuse another createIfMissing",
    (intact) => ({
      appendMessages: (id, messages, metadata, options) => {
        const creates =
          typeof options?.createIfMissing === "string" ? { createIfMissing: "unowned" as const } : {};
        return intact.appendMessages(id, messages, metadata, { ...options, ...creates });
      },
    }),
  ),

  "drops nothing for a negative number": broken(
    "options of a write: refuse counts that aren't whole numbers from 0",
    (intact) => ({
      appendMessages: (id, messages, metadata, options) => {
        const least = options?.dropLast === -1 ? { dropLast: 0 } : {};
        return intact.appendMessages(id, messages, metadata, { ...options, ...least });
      },
    }),
  ),

  "reads everything for a misspelt range": broken("readConversation: refuses invalid ranges", (intact) => ({
    readConversation: (id, options) => {
      const messages: unknown = options?.messages;
      const isMisspelt = typeof messages === "object" && messages !== null && "from" in messages;
      return intact.readConversation(id, isMisspelt ? { messages: "all" } : options);
    },
  })),

  "ignores a misspelt user when it reads": broken(
    "readConversation: refuses invalid and misspelt options",
    (intact) => ({
      readConversation: (id, options) => {
        if (options === null || typeof options !== "object" || !("userID" in options)) {
          return intact.readConversation(id, options);
        }
        return intact.readConversation(id);
      },
    }),
  ),

  "imports unknown fields": broken(
    "importConversation: refuses an invalid record with the path",
    (intact) => ({
      importConversation: (record, options) => {
        if (typeof record !== "object" || record === null || !("unknown" in record)) {
          return intact.importConversation(record, options);
        }
        const { unknown: _, ...known } = record;
        return intact.importConversation(known, options);
      },
    }),
  ),

  "imports with invalid options": broken(
    "importConversation: refuses invalid ids, messages and options",
    (intact) => ({ importConversation: (record) => intact.importConversation(record) }),
  ),
};
