import { CorruptMessage, decodeMessages } from "../codec/messages.ts";
import { encodeId, encodeLimit, encodeQuery, encodeUserId } from "../codec/query.ts";
import { decodeConversation, encodeRead } from "../codec/read.ts";
import { decodeRecord, encodeRecord } from "../codec/record.ts";
import { encodeWrite, type WriteInput } from "../codec/write.ts";
import {
  absentIncarnation,
  type MemoryBackend,
  type ReadRequest,
  type StoredConversation,
  type WriteOutcome,
} from "../contract/backend.ts";
import {
  createFailure,
  createMemoryConflictError,
  createMemoryConnectionError,
  createMemoryNotFoundError,
  createMemoryStorageError,
  createMemoryValidationError,
  createSuccess,
  type MemoryErrorUnion,
  type MemoryIssue,
  type Result,
  withProvider,
} from "../contract/errors.ts";
import type { HealthStatus } from "../contract/provider.ts";
import { canBegin, type TurnBeginning } from "../contract/turn-beginning.ts";
import type {
  ConversationReading,
  VersionedMemoryProvider,
  WriteResult,
} from "../contract/versioned-provider.ts";
import { present } from "../runtime/objects.ts";
import { unwrittenPart } from "./not-written.ts";
import { verifyHistory } from "./verify-history.ts";

const DEFAULT_RECENT_MESSAGES = 50;

/** Thrown if the backend returned no `readAt` for a read with `asksTime`. */
class MissingTime extends Error {
  // The time of this process can't replace `readAt`: its clock may differ from the store's clock.
  override readonly name = "MissingTime";
}

/** Whether the read asks for an owner (`ReadRequest.owner`) and this user doesn't own the conversation. */
const isForeign = ({ userId }: StoredConversation, { owner }: ReadRequest): boolean =>
  owner !== undefined && userId !== owner;

/**
 * Makes a {@link VersionedMemoryProvider} from a backend. The provider validates and encodes the arguments of each
 * call, and decodes and freezes what the backend returns. It converts errors that the backend throws into tagged
 * errors.
 *
 * @example
 * ```ts
 * import { defineMemoryProvider, type MemoryBackend } from "@jaf/memory/adapter";
 *
 * declare function openMyBackend(url: string): Promise<MemoryBackend>;
 *
 * export const createMyProvider = async (url: string) => defineMemoryProvider(await openMyBackend(url));
 * ```
 */
export function defineMemoryProvider(backend: MemoryBackend): VersionedMemoryProvider {
  const provider = backend.name;
  let closing: Promise<Result<void>> | undefined;

  const invalid = (operation: string, issues: readonly MemoryIssue[]) =>
    createFailure(createMemoryValidationError(issues, { provider, operation }));

  function toError(operation: string, thrown: unknown): MemoryErrorUnion {
    if (thrown instanceof CorruptMessage) {
      const reason = `${thrown.message}. Another program changed its row; restore it.`;
      return createMemoryStorageError(operation, reason, { provider });
    }
    if (thrown instanceof MissingTime) {
      const reason = `${thrown.message}: return \`readAt\` if a read has \`asksTime\`.`;
      return createMemoryStorageError(operation, reason, { provider });
    }
    const unwritten = unwrittenPart(thrown);
    if (unwritten !== undefined) {
      const reason = `not written yet: ${unwritten}.`;
      return createMemoryStorageError(operation, reason, { provider, cause: thrown });
    }
    return withProvider(backend.toMemoryError(operation, thrown), provider);
  }

  const closed = (operation: string) =>
    createFailure(
      createMemoryConnectionError(provider, "this provider was closed; create a new one", {
        operation,
        retryable: false,
      }),
    );

  async function attempt<T>(operation: string, action: () => Promise<T>): Promise<Result<T>> {
    if (closing !== undefined) return closed(operation);
    try {
      return createSuccess(await action());
    } catch (thrown) {
      return createFailure(toError(operation, thrown));
    }
  }

  async function write(operation: string, input: WriteInput): Promise<WriteResult> {
    const encoded = encodeWrite(input);
    if (!encoded.ok) return invalid(operation, encoded.issues);
    if (closing !== undefined) return closed(operation);
    const { beginsTurn } = encoded.value;
    if (beginsTurn !== undefined && !canBegin(backend, beginsTurn))
      return invalid(operation, [
        { path: "options.beginsTurn", expected: "a turn of a log in the same place" },
      ]);
    let outcome: WriteOutcome;
    try {
      outcome = await backend.write(encoded.value);
    } catch (thrown) {
      return createFailure(toError(operation, thrown));
    }
    switch (outcome.status) {
      case "written": {
        const { receipt } = outcome;
        if (receipt === undefined) return createSuccess(undefined);
        const { create, expectedVersion } = encoded.value;
        const created = create !== undefined && expectedVersion === 0 ? create : {};
        return { receipt: { ...receipt, ...created }, ...createSuccess(undefined) };
      }
      case "replayed":
        return createSuccess(undefined);
      case "turn":
        return createFailure(createMemoryConflictError("lease", { provider, operation }));
      case "missing":
        return createFailure(createMemoryNotFoundError(input.conversationId, { provider, operation }));
      case "conflict": {
        const { reason, actualVersion } = outcome;
        const details = { provider, operation, ...present({ actualVersion }) };
        return createFailure(createMemoryConflictError(reason, details));
      }
    }
  }

  const defined: VersionedMemoryProvider = {
    ...("canBegin" in backend && {
      // A copy with its own `appendMessages` might drop the option `beginsTurn`.
      canBegin(this: unknown, beginning: TurnBeginning) {
        return this === defined && canBegin(backend, beginning);
      },
    }),

    storeMessages: (conversationId, messages, metadata, options) =>
      write("storeMessages", { mode: "replace", conversationId, messages, metadata, options }),

    appendMessages: (conversationId, messages, metadata, options) =>
      write("appendMessages", { mode: "append", conversationId, messages, metadata, options }),

    getConversation: async (conversationId) => {
      const id = encodeId("conversationId", conversationId);
      if (!id.ok) return invalid("getConversation", id.issues);
      return attempt("getConversation", async () => {
        const { conversation } = await backend.read({ conversationId: id.value, messages: { kind: "all" } });
        return conversation === null ? null : decodeConversation(conversation);
      });
    },

    readConversation: async (conversationId, options) => {
      const request = encodeRead(conversationId, options);
      if (!request.ok) return invalid("readConversation", request.issues);
      return attempt("readConversation", async (): Promise<ConversationReading> => {
        const read = await backend.read(request.value);
        const { readAt } = read;
        if (readAt === undefined) throw new MissingTime("the backend returned no time");
        if (read.conversation === null || isForeign(read.conversation, request.value)) {
          const { tombstones = { conversation: null, user: null } } = "tombstones" in read ? read : {};
          const incarnation = absentIncarnation(tombstones);
          return { conversation: null, incarnation, firstPosition: 0, readAt };
        }
        const { conversation, firstPosition, receipt } = read;
        return {
          conversation: decodeConversation(conversation),
          incarnation: conversation.incarnation,
          firstPosition,
          readAt,
          ...present({ receipt }),
        };
      });
    },

    exportConversation: async (conversationId) => {
      const id = encodeId("conversationId", conversationId);
      if (!id.ok) return invalid("exportConversation", id.issues);
      return attempt("exportConversation", async () => {
        const request = { conversationId: id.value, messages: { kind: "all" }, forExport: true } as const;
        return decodeRecord(await backend.read(request));
      });
    },

    importConversation: async (record, options) => {
      const input = encodeRecord(record, options);
      if (!input.ok) return invalid("importConversation", input.issues);
      return write("importConversation", input.value);
    },

    verifyConversation: async (conversationId) => {
      const operation = "verifyConversation";
      const id = encodeId("conversationId", conversationId);
      if (!id.ok) return invalid(operation, id.issues);
      const { history } = backend;
      if (history === undefined) {
        const reason = "this store keeps no message digests, so messages can't be verified";
        return createFailure(createMemoryStorageError(operation, reason, { provider }));
      }
      return attempt(operation, () => verifyHistory(history, id.value));
    },

    findConversations: async (query) => {
      const encoded = encodeQuery(query);
      if (!encoded.ok) return invalid("findConversations", encoded.issues);
      return attempt("findConversations", async () =>
        encoded.value.limit === 0 ? [] : (await backend.find(encoded.value)).map(decodeConversation),
      );
    },

    getRecentMessages: async (conversationId, limit = DEFAULT_RECENT_MESSAGES) => {
      const id = encodeId("conversationId", conversationId);
      if (!id.ok) return invalid("getRecentMessages", id.issues);
      const last = encodeLimit(limit);
      if (!last.ok) return invalid("getRecentMessages", last.issues);
      return attempt("getRecentMessages", async () => {
        if (last.value === 0) return decodeMessages([]);
        const messages = { kind: "last", limit: last.value } as const;
        const { conversation } = await backend.read({ conversationId: id.value, messages });
        return decodeMessages(conversation?.messages ?? []);
      });
    },

    deleteConversation: async (conversationId) => {
      const id = encodeId("conversationId", conversationId);
      if (!id.ok) return invalid("deleteConversation", id.issues);
      return attempt("deleteConversation", () => backend.delete(id.value));
    },

    clearUserConversations: async (userId) => {
      const id = encodeId("userId", userId);
      if (!id.ok) return invalid("clearUserConversations", id.issues);
      return attempt("clearUserConversations", () => backend.clearUser(id.value));
    },

    getStats: async (...given) => {
      if (given.length === 0) return attempt("getStats", () => backend.stats());
      const id = encodeUserId(given[0]);
      if (!id.ok) return invalid("getStats", id.issues);
      return attempt("getStats", () => backend.stats(id.value));
    },

    healthCheck: () =>
      attempt("healthCheck", async (): Promise<HealthStatus> => {
        const start = performance.now();
        try {
          await backend.ping();
          return { healthy: true, latencyMs: performance.now() - start };
        } catch (thrown) {
          if (unwrittenPart(thrown) !== undefined) throw thrown;
          const error = toError("healthCheck", thrown).message;
          return { healthy: false, latencyMs: performance.now() - start, error };
        }
      }),

    close: () => {
      closing ??= attempt("close", () => backend.close());
      return closing;
    },
  };
  return defined;
}
