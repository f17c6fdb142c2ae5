import type { MemoryProvider, Result } from "@jaf/memory";
import { createFailure, createMemoryValidationError, idIssue, parseOptions } from "@jaf/memory/adapter";
import * as z from "zod";
import { parseQuery } from "../ranker/index.ts";
import { createYielding } from "./conversation-index.ts";
import { type FoundMessage, findMessages } from "./find-messages.ts";
import { openUserIndexes } from "./user-indexes.ts";

export type { FoundMessage };

export interface MessageSearchOptions {
  /** How many messages at most. Default 10, at most 1,000. */
  readonly limit?: number | undefined;
  /** Only in this conversation. */
  readonly conversationId?: string | undefined;
}

export interface MessageSearchConfig {
  /** How many users' indexes are kept; the one that was searched longest ago goes first. Default 100. */
  readonly maxUsers?: number | undefined;
  /** Of the newest conversations of a user, so many messages are searched. Default 20,000. */
  readonly maxMessagesPerUser?: number | undefined;
  /** How many bytes the index of a user takes at most; what was said longest ago isn't searched then. Default 12,000,000. */
  readonly maxBytesPerUser?: number | undefined;
  /** How many bytes all indexes take at most, but for the one that is searched. Default 64,000,000. */
  readonly maxBytes?: number | undefined;
  /** For how long an index is kept that nobody searches, in milliseconds. Default ten minutes. */
  readonly idleMs?: number | undefined;
}

/** Finds what was said, by the ranker that finds facts. */
export interface MessageSearch {
  /**
   * The user's messages that fit the query, best first: what the user and the assistant said, not what tools returned. It
   * looks at the store first, so that nothing is found that was deleted, and nothing missing that was said; only
   * conversations whose messages have changed are read for their words. Long work is done in pieces, between which the process
   * does what else there is.
   */
  readonly search: (
    userId: string,
    query: string,
    options?: MessageSearchOptions,
  ) => Promise<Result<readonly FoundMessage[]>>;
  /** Drops what is kept of a user in this process. */
  readonly drop: (userId: string) => void;
}

const configSchema = z.strictObject({
  maxUsers: z.int().min(1).default(100),
  maxMessagesPerUser: z.int().min(1).default(20_000),
  maxBytesPerUser: z.int().min(1_000).default(12_000_000),
  maxBytes: z.int().min(1_000).default(64_000_000),
  idleMs: z.int().min(1).max(86_400_000).default(600_000),
});

const optionsSchema = z
  .strictObject({ limit: z.int().min(0).default(10), conversationId: z.string().optional() })
  .prefault({});

const MAX_LIMIT = 1_000;
const OPERATION = "searchMessages";

/** A search over the conversations of a provider. Throws a `TypeError` for a configuration that is wrong. */
export function createMessageSearch(
  provider: MemoryProvider,
  config: MessageSearchConfig = {},
): MessageSearch {
  const indexes = openUserIndexes(provider, parseOptions(configSchema, config, "message search config"));
  return {
    drop: indexes.drop,
    search: async (userId, query, options) => {
      const issue = idIssue("userId", userId);
      const parsed = optionsSchema.safeParse(options);
      if (issue !== undefined || typeof query !== "string" || !parsed.success) {
        const issues = [
          issue ?? { path: "query or options", expected: "a text, { limit?, conversationId? }" },
        ];
        return createFailure(createMemoryValidationError(issues, { operation: OPERATION }));
      }
      const yieldIfDue = createYielding();
      const index = await indexes.refreshed(userId, yieldIfDue);
      if (!index.success) return index;
      const limit = Math.min(parsed.data.limit, MAX_LIMIT);
      const asked = {
        query: parseQuery(query, { now: Date.now() }),
        limit,
        conversationId: parsed.data.conversationId,
      };
      return findMessages({ provider, userId, yieldIfDue }, index.data, asked);
    },
  };
}

const searches = new WeakMap<MemoryProvider, MessageSearch>();

/**
 * Searches a user's conversations; the index is kept with the provider, see {@link dropMessageIndex}. See
 * {@link MessageSearch.search}.
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
 * Drops what {@link searchMessages} keeps of a user in this process, for when the user's data is deleted. `provider`: the very
 * one that was searched. A search that is under way leaves nothing behind either.
 */
export function dropMessageIndex(provider: MemoryProvider, userId: string): void {
  searches.get(provider)?.drop(userId);
}
