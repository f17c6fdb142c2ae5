import { parseOptions } from "../codec/checks.ts";
import { createFailure, createMemoryStorageError, createSuccess, type Result } from "../contract/errors.ts";
import type { Message } from "../contract/message.ts";
import type { MemoryProvider, WriteMetadata } from "../contract/provider.ts";
import { isVersionedProvider } from "../contract/versioned-provider.ts";
import { sanitizeConversation } from "../history/messages/sanitizer.ts";
import { pendingToolCalls } from "../history/messages/tool-calls.ts";
import { planWindow } from "../history/window/window.ts";
import { windowTailOf } from "../history/window/window-tail.ts";
import {
  type ChatMemoryConfig,
  type ChatMemoryOptions,
  chatMemoryConfigSchema,
  windowOptionsOf,
} from "./config.ts";

/** One conversation, and the window of it that a model sees. The store keeps all messages. */
export interface ChatMemory {
  /** The id of the conversation. */
  readonly memoryId: string;
  /**
   * Appends one message or several messages in one write. The first write creates the conversation. The owner of the
   * conversation is `metadata.userId`; without this field, the conversation has no owner.
   */
  readonly add: (message: Message | readonly Message[], metadata?: WriteMetadata) => Promise<Result<void>>;
  /** Returns the sanitized window of the conversation, oldest message first; `[]` if no message is stored. */
  readonly messages: () => Promise<Result<readonly Message[]>>;
  /** Deletes the conversation. Returns `true` if it existed, otherwise `false`. */
  readonly clear: () => Promise<Result<boolean>>;
}

interface LastMessages {
  readonly messages: readonly Message[];
  /** The position of the first of `messages`. */
  readonly first: number;
  readonly areAll: boolean;
  /**
   * Whether the window can be computed from `messages` alone. `false` if earlier messages may be system messages, or if
   * a position is needed but unknown.
   */
  readonly suffices: boolean;
}

const isList = (messages: Message | readonly Message[]): messages is readonly Message[] =>
  Array.isArray(messages);

/**
 * Returns a function that converts the index of a user message in `sanitized` into the message's position in the
 * conversation.
 */
function userPositions(
  source: readonly Message[],
  { first, sanitized }: { readonly first: number; readonly sanitized: readonly Message[] },
): (index: number) => number {
  // This relies on the sanitizer neither changing nor moving user messages.
  if (sanitized === source) return (index) => first + index;
  const positions: number[] = [];
  let next = 0;
  for (const [index, message] of sanitized.entries()) {
    if (message.role !== "user") continue;
    next = source.indexOf(message, next) + 1;
    positions[index] = first + next - 1;
  }
  return (index) => positions[index] ?? first + index;
}

/** Returns the result of `count`, which calls the tokenizer. If `count` throws, returns a `MemoryStorageError`. */
function counted<T>(count: () => T): Result<T> {
  try {
    return createSuccess(count());
  } catch (cause) {
    const reason = "the window's tokenizer threw, or didn't return a number of at least 0.";
    return createFailure(createMemoryStorageError("messages", reason, { cause }));
  }
}

/**
 * Creates a chat memory over any provider. `config.memoryId` is required. Throws a `TypeError` that names the problem
 * if the configuration is invalid. Later failures are returned as a `Result` with the provider's errors. `messages`
 * also fails with a `MemoryStorageError` if the tokenizer throws or doesn't return a number of at least 0.
 *
 * `messages` first reads only the end of the conversation. If these messages aren't enough to compute the window, it
 * reads more messages. It only reads the whole conversation if the second read isn't enough either, or if the
 * conversation contains system messages.
 *
 * @example
 * ```ts
 * import { createChatMemory, createInMemoryProvider } from "@jaf/memory";
 *
 * const memory = createChatMemory({ memoryId: "conv-123", maxMessages: 20 }, createInMemoryProvider());
 * await memory.add({ role: "user", content: "Where is my order?" }, { userId: "user-456" });
 * const forTheModel = await memory.messages();
 * if (forTheModel.success) console.log(forTheModel.data);
 * ```
 */
export function createChatMemory(
  config: ChatMemoryConfig,
  provider: MemoryProvider,
  options: ChatMemoryOptions = {},
): ChatMemory {
  const { memoryId } = parseOptions(chatMemoryConfigSchema, config, "chat memory configuration");
  if (memoryId === undefined) {
    throw new TypeError("Invalid chat memory configuration: memoryId: expected the id of the conversation.");
  }
  const window = windowOptionsOf(config, options);
  const tail = windowTailOf(window);
  const needsPositions = window.trimTo !== undefined;

  const shape = (messages: readonly Message[], first: number) =>
    counted(() => {
      const sanitized = sanitizeConversation(messages);
      const positionOf = userPositions(messages, { first, sanitized });
      return planWindow(sanitized, { ...window, dropped: first, positionOf }).messages;
    });

  const windowOfAll = async (): Promise<Result<readonly Message[]>> => {
    const loaded = await provider.getConversation(memoryId);
    if (!loaded.success) return loaded;
    if (loaded.data === null) return createSuccess([]);
    const { messages, metadata } = loaded.data;
    const next: unknown = metadata?.nextPosition;
    return shape(messages, typeof next === "number" ? Math.max(0, next - messages.length) : 0);
  };

  const lastMessages = async (limit: number): Promise<Result<LastMessages>> => {
    if (!isVersionedProvider(provider)) {
      const recent = await provider.getRecentMessages(memoryId, limit);
      if (!recent.success) return recent;
      const areAll = recent.data.length < limit;
      return createSuccess({ messages: recent.data, first: 0, areAll, suffices: areAll || !needsPositions });
    }
    const read = await provider.readConversation(memoryId, { messages: { limit } });
    if (!read.success) return read;
    const { conversation, firstPosition: first } = read.data;
    if (conversation === null) return createSuccess({ messages: [], first, areAll: true, suffices: true });
    const { messages, metadata } = conversation;
    const areAll = messages.length === (metadata?.totalMessages ?? Math.min(messages.length, limit - 1));
    return createSuccess({ messages, first, areAll, suffices: metadata?.systemContent !== true });
  };

  const windowOfLast = async (limit: number, isAgain = false): Promise<Result<readonly Message[]>> => {
    const read = await lastMessages(limit);
    if (!read.success) return read;
    const { messages, first, areAll, suffices } = read.data;
    if (areAll) return shape(messages, first);
    if (!suffices) return windowOfAll();
    const end = counted(() => tail.endOf(messages));
    if (!end.success) return end;
    if (!end.data.decides) {
      const { readNext } = end.data;
      return readNext === undefined || isAgain ? windowOfAll() : windowOfLast(readNext, true);
    }
    const decisive = end.data.messages;
    // In an invalid history, the result of a pending call may be far before the call.
    if (pendingToolCalls(decisive) !== undefined) return windowOfAll();
    return shape(decisive, first + messages.length - decisive.length);
  };

  return {
    memoryId,
    add: (message, metadata) =>
      provider.appendMessages(memoryId, isList(message) ? message : [message], metadata, {
        createIfMissing: metadata?.userId === undefined ? "unowned" : true,
      }),
    messages: () => windowOfLast(tail.firstRead),
    clear: () => provider.deleteConversation(memoryId),
  };
}
