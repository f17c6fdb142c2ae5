import type { MemoryProvider, Result } from "@jaf/memory";
import {
  createFailure,
  createMemoryValidationError,
  createSuccess,
  idIssue,
  parseOptions,
} from "@jaf/memory/adapter";
import * as z from "zod";
import { parseQuery } from "../ranker/index.ts";
import { createYielding } from "./conversation-index.ts";
import { type FoundMessage, findMessages } from "./find-messages.ts";
import type { MessageIndex } from "./message-index.ts";
import { openProcessIndex } from "./process-index.ts";
import { openStoredIndex } from "./stored-index.ts";
import type { RefreshProgress } from "./stored-refresh.ts";

export type { FoundMessage, RefreshProgress };

/** Options of a search over messages. */
export interface MessageSearchOptions {
  /** Maximum number of messages that the search returns. Default 10, at most 1,000. */
  readonly limit?: number | undefined;
  /** Only searches the conversation with this id. */
  readonly conversationId?: string | undefined;
  /**
   * Leaves out this message and the messages after it in the same conversation, e.g. the messages of the current turn.
   * `position` counts as {@link FoundMessage.position} does.
   */
  readonly except?: { readonly conversationId: string; readonly position: number } | undefined;
  /**
   * The texts of the conversation before the query, oldest first, e.g. for a follow-up such as `and the second one?`.
   * The words of the last two texts count half as much as those of the query. Default: none.
   */
  readonly context?: readonly string[] | undefined;
}

/** Where a {@link MessageSearch} has its index, and limits of the indexes that it keeps in memory. */
export interface MessageSearchConfig {
  /**
   * An index in the database of the conversations, e.g. of `createPostgresMessageIndex`. All processes share it, nothing
   * of it stays in the memory of this process, and the limits below don't apply. `provider` must store its conversations
   * where the index looks for them. Absent: the process has an index of its own, which the first search for a user
   * makes.
   */
  readonly index?: MessageIndex | undefined;
  /**
   * Maximum number of users whose index is in memory. When the index of a further user is made, the index whose last
   * search is longest ago is dropped. Default 100.
   */
  readonly maxUsers?: number | undefined;
  /**
   * Maximum number of messages per user that are searched. If the user has more, the conversations that were active
   * longest ago aren't searched. Default 20,000.
   */
  readonly maxMessagesPerUser?: number | undefined;
  /**
   * Maximum size of a user's index in bytes. If the index would be larger, messages of the conversations that were
   * active longest ago aren't searched. Default 12,000,000.
   */
  readonly maxBytesPerUser?: number | undefined;
  /**
   * Maximum size of all users' indexes together, in bytes. If they exceed it, indexes are dropped, first the one whose
   * last search is longest ago. A single remaining index may exceed this size. Default 64,000,000.
   */
  readonly maxBytes?: number | undefined;
  /** How long an index stays in memory after its last search, in milliseconds. Default 600,000 (ten minutes). */
  readonly idleMs?: number | undefined;
}

/** A search over a user's messages. It ranks messages by the rules by which recall ranks facts. */
export interface MessageSearch {
  /**
   * Returns the messages of the user and the assistant that match the query, best first. Tool results aren't searched.
   * Finds new messages and no deleted messages, because each search first indexes the conversations that have changed.
   * Returns an error if an argument is invalid or if the provider fails. A long search lets other work of the process
   * run in between.
   *
   * With a stored `index`, a search indexes about 1,000 messages at most. If more are new, messages that aren't indexed
   * yet aren't found, and {@link MessageSearch.refresh} or the next searches index them.
   */
  readonly search: (
    userId: string,
    query: string,
    options?: MessageSearchOptions,
  ) => Promise<Result<readonly FoundMessage[]>>;
  /**
   * Indexes messages of a user that aren't indexed yet, without a search. Reads about `maxMessages` messages, by default
   * all. Call it in a job before the first search of a user with many messages. If it is interrupted, the next call
   * continues. Without a stored `index`, it makes the index in the memory of this process, and ignores `maxMessages`.
   */
  readonly refresh: (
    userId: string,
    options?: { readonly maxMessages?: number | undefined },
  ) => Promise<Result<RefreshProgress>>;
  /** Removes a user's index from the memory of this process. A stored `index` stays as it is. */
  readonly drop: (userId: string) => void;
}

const configSchema = z.strictObject({
  index: z.custom<MessageIndex>((value) => typeof value === "object" && value !== null).optional(),
  maxUsers: z.int().min(1).default(100),
  maxMessagesPerUser: z.int().min(1).default(20_000),
  maxBytesPerUser: z.int().min(1_000).default(12_000_000),
  maxBytes: z.int().min(1_000).default(64_000_000),
  idleMs: z.int().min(1).max(86_400_000).default(600_000),
});

const optionsSchema = z
  .strictObject({
    limit: z.int().min(0).default(10),
    conversationId: z.string().optional(),
    except: z.strictObject({ conversationId: z.string(), position: z.int().min(0) }).optional(),
    context: z.array(z.string()).optional(),
  })
  .prefault({});

const MAX_LIMIT = 1_000;
const OPERATION = "searchMessages";
const REFRESH = "refresh";

const refreshSchema = z.strictObject({ maxMessages: z.int().min(1).optional() }).prefault({});

/**
 * Creates a search over the conversations of a provider. Throws a `TypeError` for an invalid configuration.
 *
 * @example
 * ```ts
 * import type { MemoryProvider } from "@jaf/memory";
 * import { createMessageSearch } from "@jaf/user-memory";
 *
 * declare const provider: MemoryProvider;
 *
 * const messages = createMessageSearch(provider, { maxMessagesPerUser: 50_000 });
 * const found = await messages.search("user-123", "the move to Oslo", { limit: 5 });
 * if (found.success) console.log(found.data.map(({ passage }) => passage));
 * ```
 */
export function createMessageSearch(
  provider: MemoryProvider,
  config: MessageSearchConfig = {},
): MessageSearch {
  const settings = parseOptions(configSchema, config, "message search config");
  const index =
    settings.index === undefined
      ? openProcessIndex(provider, settings)
      : openStoredIndex(provider, settings.index);
  return {
    drop: index.drop,
    refresh: async (userId, options) => {
      const parsed = refreshSchema.safeParse(options);
      const issue = idIssue("userId", userId);
      if (issue !== undefined || !parsed.success) return invalid(issue, "{ maxMessages? }", REFRESH);
      const { maxMessages = Number.POSITIVE_INFINITY } = parsed.data;
      return index.refresh(userId, { maxMessages, yieldIfDue: createYielding() });
    },
    search: async (userId, text, options) => {
      const issue = idIssue("userId", userId);
      const parsed = optionsSchema.safeParse(options);
      if (issue !== undefined || typeof text !== "string" || !parsed.success)
        return invalid(issue, "a text, { limit?, conversationId?, except?, context? }", OPERATION);
      const yieldIfDue = createYielding();
      const { context, conversationId, except } = parsed.data;
      const limit = Math.min(parsed.data.limit, MAX_LIMIT);
      const query = parseQuery(text, { now: Date.now(), context });
      const matches = await index.match(userId, query, { limit, conversationId, yieldIfDue });
      if (!matches.success) return matches;
      if (limit === 0 || query.terms.length === 0) return createSuccess([]);
      return findMessages({ provider, userId, yieldIfDue }, matches.data, { query, limit, except });
    },
  };
}

function invalid(issue: ReturnType<typeof idIssue>, expected: string, operation: string) {
  const issues = [issue ?? { path: "query or options", expected }];
  return createFailure(createMemoryValidationError(issues, { operation }));
}

const searches = new WeakMap<MemoryProvider, MessageSearch>();

/**
 * Searches a user's conversations, as {@link MessageSearch.search} does. The user's index stays in the memory of this
 * process for up to ten minutes after the last search with this `provider` object. {@link dropMessageIndex} removes the
 * index earlier.
 *
 * @example
 * ```ts
 * import type { MemoryProvider } from "@jaf/memory";
 * import { searchMessages } from "@jaf/user-memory";
 *
 * declare const provider: MemoryProvider;
 *
 * const found = await searchMessages(provider, "user-123", "When did we talk about Oslo?", { limit: 5 });
 * if (!found.success) throw new Error(found.error.message);
 * for (const { conversationId, position, passage } of found.data) {
 *   console.log(conversationId, position, passage);
 * }
 * ```
 */
export function searchMessages(
  provider: MemoryProvider,
  userId: string,
  query: string,
  options?: MessageSearchOptions,
): Promise<Result<readonly FoundMessage[]>> {
  const search = searches.get(provider) ?? createMessageSearch(provider);
  searches.set(provider, search);
  return search.search(userId, query, options);
}

/**
 * Removes the index of a user that {@link searchMessages} keeps in this process. Call this function when you delete the
 * user's data. Pass the same `provider` object as to `searchMessages`. If a search of the user is still running, its
 * index isn't kept after the search.
 *
 * @example
 * ```ts
 * import type { MemoryProvider } from "@jaf/memory";
 * import { dropMessageIndex } from "@jaf/user-memory";
 *
 * declare const provider: MemoryProvider;
 *
 * await provider.clearUserConversations("user-123");
 * dropMessageIndex(provider, "user-123");
 * ```
 */
export function dropMessageIndex(provider: MemoryProvider, userId: string): void {
  searches.get(provider)?.drop(userId);
}
