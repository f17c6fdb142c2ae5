import {
  createMemoryStorageError,
  createMemoryValidationError,
  type MemoryErrorDetails,
  type MemoryIssue,
  type Result,
} from "../contract/errors.ts";
import type { Message } from "../contract/message.ts";
import type { MemoryProvider } from "../contract/provider.ts";
import { MemoryCallError, unwrap as unwrapCall } from "../contract/unwrap.ts";

/** Properties of a conversation that are set when it is created. */
export interface ConversationStoreMeta {
  /** The owner. If absent, the conversation has no owner. */
  readonly userId?: string;
  /**
   * The name of the agent with which the user has the conversation. It separates a user's conversations with several
   * agents.
   */
  readonly agent?: string;
  /** The kind of record that the conversation is about (e.g. `"orders"`). */
  readonly resourceSlug?: string;
  /** The id of the record that the conversation is about. */
  readonly recordId?: string;
}

/**
 * A conversation in the result of `list`, without its messages. Fields whose value the store doesn't know are absent.
 */
export interface ConversationStoreListEntry {
  readonly id: string;
  readonly title?: string | undefined;
  /**
   * The owner. A store should always return the owner. Otherwise one user could continue another user's conversation.
   */
  readonly userId?: string | undefined;
  readonly agent?: string | undefined;
  readonly resourceSlug?: string | undefined;
  readonly recordId?: string | undefined;
  readonly createdAt?: Date | undefined;
  /** The time of the last write. */
  readonly updatedAt?: Date | undefined;
}

/**
 * The type for parameters that accept a conversation store. Unlike those of {@link ConversationStore}, its methods may
 * return readonly arrays.
 */
export interface AnyConversationStore {
  /** Creates an empty conversation. Returns its id, which must be impossible to guess. */
  create(title?: string, meta?: ConversationStoreMeta): Promise<string>;
  /** Returns all messages, oldest first; `[]` if the conversation doesn't exist. */
  load(conversationId: string): Promise<readonly Message[]>;
  /**
   * Adds all messages at the end of the conversation, in order, or none of them. Rejects if the conversation doesn't
   * exist.
   */
  append(conversationId: string, messages: readonly Message[]): Promise<void>;
  /** Sets the title of the conversation. Rejects if the conversation doesn't exist. */
  setTitle(conversationId: string, title: string): Promise<void>;
  /**
   * Returns the user's conversations, newest first. Without an argument, returns the conversations of all users, for
   * administrators. If the store is used as a memory provider (`providerOf`), each read and write looks up the
   * conversation's owner in this list. A conversation that isn't in the list can't be continued.
   */
  list(userId?: string): Promise<readonly ConversationStoreListEntry[]>;
  /** Deletes the conversation. Also succeeds if the conversation doesn't exist. */
  delete?(conversationId: string): Promise<void>;
}

/**
 * A store of conversations with few methods, so that it can be implemented over any database. A method that fails may
 * reject with any error; the stores of this package reject with `ConversationStoreError`. Callers may change the
 * returned arrays, but not the messages in them, which may be frozen.
 */
export interface ConversationStore extends AnyConversationStore {
  load(conversationId: string): Promise<Message[]>;
  list(userId?: string): Promise<ConversationStoreListEntry[]>;
}

/** A conversation store over a `MemoryProvider`. It has all guarantees of the provider. */
export interface ProviderConversationStore extends ConversationStore {
  /** The provider that stores the conversations. Its reads return all messages, including pending calls. */
  readonly provider: MemoryProvider;
  /**
   * Returns the id of the user's conversation with the agent, for applications in which a user has only one
   * conversation with each agent. The conversation need not exist yet. All processes compute the same id from the same
   * arguments. Throws `ConversationStoreError` if `userId` or `agent` is invalid. A valid value has 1 to 255
   * characters, without NUL and unpaired surrogates.
   */
  threadFor(userId: string, agent: string): string;
  /**
   * Returns all messages, sanitized for a model; `[]` if the conversation doesn't exist. The caller may change the
   * array.
   */
  load(conversationId: string): Promise<Message[]>;
  /**
   * Returns the user's conversations or, without an argument, the conversations of all users. The conversation with the
   * newest activity comes first. The argument `undefined` is refused: a session without a user must not list the
   * conversations of all users by mistake.
   */
  list(userId?: string): Promise<ConversationStoreListEntry[]>;
  delete(conversationId: string): Promise<void>;
}

/**
 * The error of a conversation store. `memoryError` is the tagged error of the `MemoryProvider`, which says what to do
 * and whether a retry can succeed. Neither error contains content of the conversation.
 *
 * @example
 * ```ts
 * import { ConversationStoreError, MemoryConversationStore } from "@jaf/memory";
 *
 * try {
 *   await new MemoryConversationStore().append("no-such-conversation", [{ role: "user", content: "Hi" }]);
 * } catch (error) {
 *   if (error instanceof ConversationStoreError) console.error(error.message, error.memoryError.retryable);
 * }
 * ```
 */
export class ConversationStoreError extends MemoryCallError {
  override readonly name = "ConversationStoreError";
}

/** The name in errors (`provider`) of a conversation store that isn't made over a provider. */
export const PROVIDER = "conversation-store";

export const storeFailure = (
  operation: string,
  reason: string,
  details: MemoryErrorDetails = {},
): ConversationStoreError =>
  new ConversationStoreError(createMemoryStorageError(operation, reason, { provider: PROVIDER, ...details }));

export const invalidInput = (issues: readonly MemoryIssue[], details: MemoryErrorDetails) =>
  new ConversationStoreError(createMemoryValidationError(issues, details));

/** Returns the data of a successful result. Throws {@link ConversationStoreError} otherwise. */
export const unwrap = <T>(operation: string, action: () => Promise<Result<T>>): Promise<T> =>
  unwrapCall(operation, action, ConversationStoreError);
