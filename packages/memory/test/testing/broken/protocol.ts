import { createFailure, createMemoryStorageError } from "../../../src/index.ts";
import { type BrokenProvider, broken } from "./broken.ts";

interface ProtocolViolation extends BrokenProvider {
  /** Text that the report must contain. */
  readonly says: string;
}

const never = new Promise<never>(() => {});

/** Providers that break the protocol of results in any rule. */
export const brokenProtocol: Readonly<Record<string, ProtocolViolation>> = {
  "throws instead of returning": {
    ...broken("getConversation: returns null for a conversation that was never stored", (intact) => ({
      getConversation: async (id) => {
        const read = await intact.getConversation(id);
        if (read.success && read.data === null) throw new RangeError("no rows");
        return read;
      },
    })),
    says: "getConversation() threw instead of returning a Result: RangeError: no rows",
  },

  "throws before there is a promise": {
    ...broken("deleteConversation: returns whether the conversation existed", () => ({
      deleteConversation: () => {
        throw new TypeError("this.client is undefined");
      },
    })),
    says: "deleteConversation() threw instead of returning a Result: TypeError: this.client is undefined",
  },

  "never settles": {
    ...broken("getStats: counts all users', or one user's", () => ({ getStats: () => never })),
    says: "getStats() never settled: no Result within 2000 ms",
  },

  "returns data without a Result": {
    ...broken("clearUserConversations: returns 0 for a user without conversations", () => ({
      clearUserConversations: async () => 0 as never,
    })),
    says: "clearUserConversations() resolved to a number, not a Result",
  },

  "returns no promise": {
    ...broken("healthCheck: writes nothing", () => ({ healthCheck: () => undefined as never })),
    says: "healthCheck() returned a undefined instead of a promise of a Result",
  },

  "names the wrong operation": {
    ...broken("options.expectedVersion: is 1 for a stored conversation that is still empty", () => ({
      appendMessages: async () =>
        createFailure(createMemoryStorageError("write", "disk full", { provider: "memory" })),
    })),
    says: "appendMessages() resolved to a MemoryStorageError with the operation write",
  },

  "doesn't name itself in an error": {
    ...broken("options.expectedVersion: is 1 for a stored conversation that is still empty", () => ({
      appendMessages: async () => createFailure(createMemoryStorageError("appendMessages", "disk full")),
    })),
    says: "appendMessages() resolved to a MemoryStorageError that doesn't name its provider",
  },

  "quotes a message in its error": {
    ...broken("sizes: of a message can be 1 MB, in any script, in every read", () => ({
      appendMessages: async (_, messages) =>
        createFailure(
          createMemoryStorageError("appendMessages", `could not insert ${JSON.stringify(messages[1])}`, {
            provider: "memory",
          }),
        ),
    })),
    says: "appendMessages() repeats its arguments in its error: content, metadata or a user id",
  },

  "quotes a tool's arguments in its error": {
    ...broken("what can't be stored: is never repeated in the error", (intact) => ({
      appendMessages: async (id, messages, ...rest) => {
        const written = await intact.appendMessages(id, messages, ...rest);
        if (written.success || !Array.isArray(messages)) return written;
        const quoted = messages[0]?.tool_calls?.[0]?.function.arguments ?? "";
        return createFailure({ ...written.error, message: `${written.error.message} ${quoted}` });
      },
    })),
    says: "appendMessages() repeats its arguments in its error: content, metadata or a user id",
  },

  "quotes a user id in its error": {
    ...broken("what can't be stored: is never repeated in the error", (intact) => ({
      appendMessages: async (id, messages, metadata, options) => {
        const written = await intact.appendMessages(id, messages, metadata, options);
        if (written.success || written.error._tag !== "MemoryConflictError") return written;
        return createFailure({ ...written.error, message: `not the conversation of ${metadata?.userId}` });
      },
    })),
    says: "appendMessages() repeats its arguments in its error: content, metadata or a user id",
  },
};
