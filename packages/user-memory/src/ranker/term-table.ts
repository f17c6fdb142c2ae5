import type { Query } from "./query.ts";
import type { MatchedDocument, Matches } from "./term-index.ts";
import { askedTerm, TIME_TERM } from "./tokenizer.ts";
import { WEIGHTS } from "./weights.ts";

/** How often each document contains each word of the query. Each document has a row. */
// Typed arrays, because a query with a common word matches thousands of documents.
export interface TermTable {
  readonly documents: readonly MatchedDocument[];
  /** The words of the query, as stems. */
  readonly words: readonly string[];
  /** For each word: its rarity, i.e. how few of the user's documents contain it. 0: the word doesn't count. */
  readonly rarity: Float64Array;
  /**
   * One row for each document: the count of each word in statements, followed by the count of each word in questions.
   */
  readonly counts: Uint16Array;
  /** For each document: its number of terms, or {@link USUAL_LENGTH} if the number is unknown. */
  readonly lengths: Float64Array;
  /** Whether the documents have several authors. */
  readonly isTalk: boolean;
  /** For each document: how well its date matches a date of the query, from 0 to 1. */
  readonly dates: Float64Array;
  /** For each document: 1 if the document mentions a time and the query asks for a time (`when …`); otherwise 0. */
  readonly times: Uint8Array;
}

const MOST = 65_535;
/** The number of terms in a usual document of two or three sentences. */
export const USUAL_LENGTH = 20;

/** Builds the term table for a query and its matches. `names` are words of the query that name authors. */
export function buildTermTable(query: Query, matches: Matches, names: ReadonlySet<string>): TermTable {
  // Names only count if the query has no other words and no dates.
  const { documents } = matches;
  const words = [...query.words.keys()];
  const table = {
    documents,
    words,
    rarity: new Float64Array(words.length),
    counts: new Uint16Array(documents.length * 2 * words.length),
    lengths: new Float64Array(documents.length),
    isTalk: new Set(documents.flatMap(({ author }) => author ?? [])).size > 1,
    dates: new Float64Array(documents.length),
    times: new Uint8Array(documents.length),
  };
  fill(table, query);
  const counting = words.filter((word) => !names.has(word));
  const kept = new Set(counting.length > 0 || query.dates.size > 0 ? counting : words);
  for (const [at, counted] of holders(table).entries()) {
    const word = words[at] ?? "";
    const held = matches.holders?.get(word) ?? counted;
    const idf = Math.log(1 + (matches.size - held + 0.5) / (held + 0.5));
    if (kept.has(word)) table.rarity[at] = (query.words.get(word)?.share ?? 1) * idf ** WEIGHTS.rarity;
  }
  return table;
}

function fill({ documents, words, counts, lengths, dates, times }: TermTable, query: Query): void {
  const width = 2 * words.length;
  const slots = new Map([...words, ...words.map(askedTerm)].map((term, slot) => [term, slot]));
  for (let row = 0; row < documents.length; row++) {
    lengths[row] = documents[row]?.length ?? USUAL_LENGTH;
    for (const { term, weight } of documents[row]?.terms ?? []) {
      const slot = slots.get(term);
      if (slot !== undefined) counts[row * width + slot] = Math.min(weight, MOST);
      else if (term === TIME_TERM) times[row] = query.temporal ? 1 : 0;
      else dates[row] = Math.max(dates[row] ?? 0, query.dates.get(term) ?? 0);
    }
  }
}

/** Returns for each word the number of documents that contain it. */
function holders({ documents, words, counts }: TermTable): Float64Array {
  const width = words.length;
  const held = new Float64Array(width);
  for (let row = 0; row < documents.length; row++) {
    const start = row * 2 * width;
    for (let word = 0; word < width; word++) {
      if ((counts[start + word] ?? 0) > 0 || (counts[start + width + word] ?? 0) > 0) {
        held[word] = (held[word] ?? 0) + 1;
      }
    }
  }
  return held;
}

/** A message that matches the query, or that is near a matching message. */
export interface ConversationMessage {
  readonly conversation: Conversation;
  readonly position: number;
  /** The row of the message's first document in the term table. -1 if no document of the message matches. */
  readonly row: number;
  /** The oldest matching document of the message that has an author or a role. */
  speaker: MatchedDocument | undefined;
  /** The number of terms in all matching documents of the message together. */
  length: number;
}

export interface Conversation {
  readonly conversationId: string;
  /** The messages of the conversation that have a matching document. */
  readonly members: ConversationMessage[];
  /** Messages with a matching document and messages near them, by their position in the conversation. */
  readonly at: (ConversationMessage | undefined)[];
  /** The highest `seq` of the matching documents. */
  latest: number;
}

/** The messages and conversations that the matching documents come from. */
export interface ConversationLayout {
  readonly conversations: readonly Conversation[];
  /** For each document: the message that it comes from, or `undefined` if the document has no location. */
  readonly ofDocuments: readonly (ConversationMessage | undefined)[];
  /**
   * The `counts` of the {@link TermTable}, but the row of a message's first document contains for each word the highest
   * count in the message's documents.
   */
  readonly counts: Uint16Array;
}

/** Groups documents by their message, and messages by their conversation. */
export function groupByConversation({
  documents,
  counts: own,
  lengths,
  words,
}: TermTable): ConversationLayout {
  const conversations = new Map<string, Conversation>();
  const counts = own.slice();
  const width = 2 * words.length;
  const ofDocuments = documents.map((document, row) => {
    if (document.location === undefined) return undefined;
    const { conversationId, position } = document.location;
    let conversation = conversations.get(conversationId);
    if (conversation === undefined) {
      conversation = { conversationId, members: [], at: [], latest: 0 };
      conversations.set(conversationId, conversation);
    }
    let message = conversation.at[position];
    if (message === undefined) {
      message = { conversation, position, row, speaker: undefined, length: 0 };
      conversation.at[position] = message;
      conversation.members.push(message);
    } else raise(counts, { from: row * width, to: message.row * width, width });
    message.length += lengths[row] ?? 0;
    conversation.latest = Math.max(conversation.latest, document.seq);
    const hasSpeaker = document.author !== undefined || document.role !== undefined;
    if (hasSpeaker && document.seq < (message.speaker?.seq ?? Number.POSITIVE_INFINITY)) {
      message.speaker = document;
    }
    return message;
  });
  return { conversations: [...conversations.values()], ofDocuments, counts };
}

interface Rows {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

function raise(counts: Uint16Array, { from, to, width }: Rows): void {
  for (let slot = 0; slot < width; slot++) {
    counts[to + slot] = Math.max(counts[to + slot] ?? 0, counts[from + slot] ?? 0);
  }
}

/**
 * How far away neighbouring messages count in the score of a message. `back`: number of messages before the message.
 * `ahead`: number of messages after it.
 */
export interface Reach {
  readonly back: number;
  readonly ahead: number;
}

/**
 * Returns the messages near the given message that have no matching document, except those that an earlier call
 * returned.
 */
export function unmatchedNear(
  { conversation, position: from }: ConversationMessage,
  { back, ahead }: Reach,
): readonly ConversationMessage[] {
  const unmatched: ConversationMessage[] = [];
  for (let position = Math.max(0, from - ahead); position <= from + back; position++) {
    if (conversation.at[position] !== undefined) continue;
    const neighbour: ConversationMessage = { conversation, position, row: -1, speaker: undefined, length: 0 };
    conversation.at[position] = neighbour;
    unmatched.push(neighbour);
  }
  return unmatched;
}
