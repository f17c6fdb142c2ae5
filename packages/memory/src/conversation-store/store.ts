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

/** What a conversation is about, said when it is created. */
export interface ConversationStoreMeta {
  /** The owner; without one the conversation belongs to nobody. */
  readonly userId?: string;
  /** Keeps the threads of one user with several agents apart. */
  readonly agent?: string;
  /** What kind of record the conversation is about, e.g. `"orders"`. */
  readonly resourceSlug?: string;
  /** Which record that is. */
  readonly recordId?: string;
}

/** A conversation in a listing, without its messages. A field that the store doesn't know is absent. */
export interface ConversationStoreListEntry {
  readonly id: string;
  readonly title?: string | undefined;
  /** The owner. A store that leaves it out is not protected from one user continuing another's conversation. */
  readonly userId?: string | undefined;
  readonly agent?: string | undefined;
  readonly resourceSlug?: string | undefined;
  readonly recordId?: string | undefined;
  readonly createdAt?: Date | undefined;
  /** When it was last written. */
  readonly updatedAt?: Date | undefined;
}

/** A {@link ConversationStore} whose arrays may be readonly: what is taken where a store is passed in. */
export interface AnyConversationStore {
  /** Makes an empty conversation and returns its id, which nobody can guess. */
  create(title?: string, meta?: ConversationStoreMeta): Promise<string>;
  /** All messages, oldest first; `[]` if there is no such conversation. */
  load(conversationId: string): Promise<readonly Message[]>;
  /** Adds the whole batch at the end, in order, or nothing. Rejects if there is no such conversation. */
  append(conversationId: string, messages: readonly Message[]): Promise<void>;
  /** Rejects if there is no such conversation. */
  setTitle(conversationId: string, title: string): Promise<void>;
  /**
   * The conversations of the user, or, called without an argument, of everybody, which is for administrators. Newest
   * first. Each read and write takes the owner of the conversation from it: a conversation that it doesn't name
   * can't be continued.
   */
  list(userId?: string): Promise<readonly ConversationStoreListEntry[]>;
  /** Deletes the conversation; it is no error if there is none. */
  delete?(conversationId: string): Promise<void>;
}

/**
 * A store of chats, small enough to write by hand over any database. What fails rejects with an error
 * of the store's choice; the stores of this package reject with `ConversationStoreError`. The arrays that it gives are
 * the caller's; their messages may be frozen.
 */
export interface ConversationStore extends AnyConversationStore {
  load(conversationId: string): Promise<Message[]>;
  list(userId?: string): Promise<ConversationStoreListEntry[]>;
}

/** A store over a `MemoryProvider`: every guarantee of the provider holds below it. */
export interface ProviderConversationStore extends ConversationStore {
  /** What the conversations are kept in, whole: `load` leaves out tool calls that wait for their result. */
  readonly provider: MemoryProvider;
  /**
   * The conversation id of the one thread that the user has with the agent, whether or not it exists yet. It is the
   * same in every process, so two processes that begin at once use one conversation. Throws `ConversationStoreError`
   * unless both are ids: 1 to 255 characters without NUL and unpaired surrogates.
   */
  threadFor(userId: string, agent: string): string;
  /**
   * All messages, ready for a model: they went through `sanitizeConversation`. `[]` if there is no such
   * conversation. The array is the caller's.
   */
  load(conversationId: string): Promise<Message[]>;
  /**
   * Newest activity first, with metadata but without messages, read a page at a time. An argument that is
   * `undefined` is refused: a session without a user must not list everybody's conversations.
   */
  list(userId?: string): Promise<ConversationStoreListEntry[]>;
  delete(conversationId: string): Promise<void>;
}

/**
 * Why a conversation store could not do what it was asked to. `memoryError` is the tagged error, as a
 * `MemoryProvider` returns it: it says what helps and whether a retry can, and holds no content.
 */
export class ConversationStoreError extends Error {
  override readonly name = "ConversationStoreError";

  constructor(readonly memoryError: MemoryErrorUnion) {
    super(memoryError.message);
  }
}

/** The name of a store of five methods in errors. */
export const PROVIDER = "conversation-store";

export const storeFailure = (
  operation: string,
  reason: string,
  details: MemoryErrorDetails = {},
): ConversationStoreError =>
  new ConversationStoreError(createMemoryStorageError(operation, reason, { provider: PROVIDER, ...details }));

export const invalidInput = (issues: readonly MemoryIssue[], details: MemoryErrorDetails) =>
  new ConversationStoreError(createMemoryValidationError(issues, details));

/** The data of a result. Throws {@link ConversationStoreError} for a failure. */
export async function unwrap<T>(operation: string, action: () => Promise<Result<T>>): Promise<T> {
  const result = await action().catch((cause: unknown) => {
    const reason = "the memory provider threw";
    throw new ConversationStoreError(createMemoryStorageError(operation, reason, { cause }));
  });
  if (!result.success) throw new ConversationStoreError(result.error);
  return result.data;
}
