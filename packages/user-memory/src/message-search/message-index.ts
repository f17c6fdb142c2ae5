import type { MemoryErrorUnion } from "@jaf/memory/adapter";

/**
 * An index of messages that lives with the store of the conversations, so all processes share it and a restart loses
 * nothing. It stores numbers without text: a message is cut into passages, and the words of a passage are hashes that
 * differ from user to user. The methods reject with the errors of the driver.
 *
 * A conversation that was deleted isn't found by any method, and its entries are deleted with it. Entries of messages
 * that were removed from a conversation or replaced stay until the next `write` for the conversation.
 */
export interface MessageIndex {
  /**
   * Returns the user's conversations with messages that aren't indexed yet, the most recently active one first, and at
   * most `limit`. Conversations that are children of others or have expired aren't indexed.
   */
  readonly changed: (userId: string, limit: number) => Promise<readonly ChangedConversation[]>;
  /**
   * Adds passages of one conversation, atomically. Returns false and changes nothing if the conversation has changed
   * since `revision` was read, or if another process has added passages since `changed`.
   */
  readonly write: (userId: string, batch: IndexBatch) => Promise<boolean>;
  /** Counts the user's passages, and estimates how many of them contain a word. */
  readonly count: (userId: string, words: readonly IndexedWord[]) => Promise<PassageCounts>;
  /** Returns the passages that match, the latest first. */
  readonly find: (userId: string, wanted: WantedPassages) => Promise<readonly IndexedPassage[]>;
  /** Returns the passages of the given messages, in any order. Leaves out passages without any of the `keys`. */
  readonly at: (
    userId: string,
    places: readonly MessagePlace[],
    keys: readonly number[],
  ) => Promise<readonly IndexedPassage[]>;
  /** Converts an error that a method rejected with. */
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

/** A conversation whose messages aren't indexed completely. */
export interface ChangedConversation {
  readonly conversationId: string;
  /**
   * Position after the last indexed message. 0: nothing is indexed, or an indexed message was replaced, so the
   * conversation has to be indexed again.
   */
  readonly indexedTo: number;
}

/** The state of a conversation when its messages were read. */
export interface ConversationRevision {
  readonly incarnation: string;
  readonly version: number;
}

/** Passages of consecutive messages of one conversation. */
export interface IndexBatch {
  readonly conversationId: string;
  readonly revision: ConversationRevision;
  /** `indexedTo` of the {@link ChangedConversation}. With 0, the conversation's older entries are deleted. */
  readonly indexedTo: number;
  /** Position after the last message that the batch covers. */
  readonly nextPosition: number;
  readonly passages: readonly NewPassage[];
}

export interface NewPassage {
  /** Position of the message in its conversation, from 0. */
  readonly position: number;
  readonly isAssistant: boolean;
  /** Number of different terms. */
  readonly length: number;
  /** The keys of the terms: signed 32-bit numbers. A term that occurs several times is listed as often. */
  readonly terms: readonly number[];
}

/** The keys of a word: as it is in statements and, if it has one, its key in questions. */
export type IndexedWord = readonly number[];

export interface PassageCounts {
  /** Number of the user's passages. */
  readonly size: number;
  /** For each word: about how many of the passages contain it. It is exact if `isExact`. */
  readonly holders: readonly number[];
  readonly isExact: boolean;
}

export interface WantedPassages {
  /** A passage has at least one of these keys. */
  readonly any: readonly number[];
  /** A passage has also at least one of these keys. Absent: it needs none. */
  readonly also?: readonly number[] | undefined;
  readonly conversationId?: string | undefined;
  readonly limit: number;
}

/** A message in its conversation. */
export interface MessagePlace {
  readonly conversationId: string;
  readonly position: number;
}

export interface IndexedPassage extends NewPassage, MessagePlace {
  /**
   * Number of the passage among the user's passages, from 1: first the conversation that was active longest ago, and
   * within a conversation in the order of its messages.
   */
  readonly number: number;
}
