import {
  createMemoryStorageError,
  createMemoryValidationError,
  type MemoryErrorDetails,
  type MemoryErrorUnion,
  type MemoryIssue,
  type Result,
} from "../contract/errors.ts";
import type { Message } from "../contract/message.ts";
import type { MemoryProvider } from "../contract/provider.ts";

/** Properties of a conversation that are set at its creation. */
export interface ConversationStoreMeta {
  /** The owner. Without it, the conversation has no owner. */
  readonly userId?: string;
  /** Separates the threads of one user with several agents. */
  readonly agent?: string;
  /** The kind of record that the conversation is about, e.g. `"orders"`. */
  readonly resourceSlug?: string;
  /** The id of that record. */
  readonly recordId?: string;
}

/** A conversation in a listing, without its messages. Fields that the store doesn't know are absent. */
export interface ConversationStoreListEntry {
  readonly id: string;
  readonly title?: string | undefined;
  /** The owner. If a store leaves it out, one user can continue another's conversation. */
  readonly userId?: string | undefined;
  readonly agent?: string | undefined;
  readonly resourceSlug?: string | undefined;
  readonly recordId?: string | undefined;
  readonly createdAt?: Date | undefined;
  /** The time of the last write. */
  readonly updatedAt?: Date | undefined;
}

/** A {@link ConversationStore} that may return readonly arrays: the type for store parameters. */
export interface AnyConversationStore {
  /** Creates an empty conversation and returns its id, which can't be guessed. */
  create(title?: string, meta?: ConversationStoreMeta): Promise<string>;
  /** Returns all messages, oldest first; `[]` if the conversation doesn't exist. */
  load(conversationId: string): Promise<readonly Message[]>;
  /** Adds the whole batch at the end, in order, or nothing. Rejects if the conversation doesn't exist. */
  append(conversationId: string, messages: readonly Message[]): Promise<void>;
  /** Rejects if the conversation doesn't exist. */
  setTitle(conversationId: string, title: string): Promise<void>;
  /**
   * Returns the user's conversations, newest first. Without an argument, returns those of all users; this is for
   * administrators. Each read and write takes the conversation's owner from this list: a conversation that isn't in it
   * can't be continued.
   */
  list(userId?: string): Promise<readonly ConversationStoreListEntry[]>;
  /** Deletes the conversation. Succeeds if it doesn't exist. */
  delete?(conversationId: string): Promise<void>;
}

/**
 * A store of chats that is small enough to implement over any database. Failures reject with an error of the store's
 * choice; the stores of this package reject with `ConversationStoreError`. Callers may change the returned arrays;
 * their messages may be frozen.
 */
export interface ConversationStore extends AnyConversationStore {
  load(conversationId: string): Promise<Message[]>;
  list(userId?: string): Promise<ConversationStoreListEntry[]>;
}

/** A conversation store over a `MemoryProvider`, with all its guarantees. */
export interface ProviderConversationStore extends ConversationStore {
  /** The provider of the conversations, with all messages. `load` leaves out pending calls. */
  readonly provider: MemoryProvider;
  /**
   * Returns the conversation id of the user's only thread with the agent, even if it doesn't exist yet. All processes
   * compute the same id, so two that begin at the same time use one conversation. Throws `ConversationStoreError`
   * unless both ids have 1 to 255 characters without NUL and unpaired surrogates.
   */
  threadFor(userId: string, agent: string): string;
  /**
   * Returns all messages, sanitized for a model; `[]` if the conversation doesn't exist. Callers may change the array.
   */
  load(conversationId: string): Promise<Message[]>;
  /**
   * Returns conversations, newest activity first, with metadata but without messages. Reads one page at a time.
   * `undefined` as the argument is refused: a session without a user must not list all users' conversations.
   */
  list(userId?: string): Promise<ConversationStoreListEntry[]>;
  delete(conversationId: string): Promise<void>;
}

/**
 * The error of a conversation store. `memoryError` is the tagged error of the `MemoryProvider`: it says what to do and
 * whether a retry can succeed, and contains no content.
 */
export class ConversationStoreError extends Error {
  override readonly name = "ConversationStoreError";

  constructor(readonly memoryError: MemoryErrorUnion) {
    super(memoryError.message);
  }
}

/** The name of a five-method store in errors. */
export const PROVIDER = "conversation-store";

export const storeFailure = (
  operation: string,
  reason: string,
  details: MemoryErrorDetails = {},
): ConversationStoreError =>
  new ConversationStoreError(createMemoryStorageError(operation, reason, { provider: PROVIDER, ...details }));

export const invalidInput = (issues: readonly MemoryIssue[], details: MemoryErrorDetails) =>
  new ConversationStoreError(createMemoryValidationError(issues, details));

/** Returns the data of a result. Throws {@link ConversationStoreError} for a failure. */
export async function unwrap<T>(operation: string, action: () => Promise<Result<T>>): Promise<T> {
  const result = await action().catch((cause: unknown) => {
    const reason = "the memory provider threw";
    throw new ConversationStoreError(createMemoryStorageError(operation, reason, { cause }));
  });
  if (!result.success) throw new ConversationStoreError(result.error);
  return result.data;
}
