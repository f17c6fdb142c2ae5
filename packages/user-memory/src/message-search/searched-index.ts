import type { Result } from "@jaf/memory";
import type { Matches, Query } from "../ranker/index.ts";
import type { YieldIfDue } from "./conversation-index.ts";
import type { RefreshProgress } from "./stored-refresh.ts";

export interface MatchOptions {
  /** Number of messages that the search wants. */
  readonly limit: number;
  /** The conversation to search. `undefined`: all conversations of the user. */
  readonly conversationId: string | undefined;
  readonly yieldIfDue: YieldIfDue;
}

export interface RefreshOptions {
  readonly maxMessages: number;
  readonly yieldIfDue: YieldIfDue;
}

/** The index of a message search: in the memory of the process, or stored with the conversations. */
export interface SearchedIndex {
  /** Indexes new messages, and returns the passages that match the query. */
  readonly match: (userId: string, query: Query, options: MatchOptions) => Promise<Result<Matches>>;
  /** Indexes new messages. */
  readonly refresh: (userId: string, options: RefreshOptions) => Promise<Result<RefreshProgress>>;
  readonly drop: (userId: string) => void;
}
