import type { Query } from "./query.ts";
import type { MatchedDocument, Matches } from "./term-index.ts";
import { askedTerm, TIME_TERM } from "./tokenizer.ts";
import { WEIGHTS } from "./weights.ts";

/**
 * The counts of the query's words in each document. Typed arrays with a row for each document, because a query with a common
 * word matches thousands of them.
 */
export interface TermTable {
  readonly documents: readonly MatchedDocument[];
  /** The words of the query, stemmed. */
  readonly words: readonly string[];
  /** By word: its rarity among the user's documents, above 0; 0 if it doesn't count. */
  readonly rarity: Float64Array;
  /** A row has the count of each word in statements, then of each in questions; at most 65,535. */
  readonly counts: Uint16Array;
  /** By document: its number of terms; {@link USUAL_LENGTH} if unknown. */
  readonly lengths: Float64Array;
  /** Whether there are several authors, so another one answers a question. */
  readonly isTalk: boolean;
  /** By document: the weight of its date, from 0 to 1. */
  readonly dates: Float64Array;
  /** By document: 1 if it has a time and the query asks when. */
  readonly times: Uint8Array;
}

const MOST = 65_535;
/** The number of terms in two or three sentences. */
export const USUAL_LENGTH = 20;

/** Builds the table. `names`: words of the query that name authors. They only count if there are no other words. */
export function buildTermTable(query: Query, matches: Matches, names: ReadonlySet<string>): TermTable {
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

/** Returns the number of documents per word. */
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

/** A message with a match, or near one. */
export interface ConversationMessage {
  readonly conversation: Conversation;
  readonly position: number;
  /** The row of its first document; -1 if no document of the message matches. */
  readonly row: number;
  /** The oldest matching document of the message with an author or side. */
  speaker: MatchedDocument | undefined;
  /** The length of its matching documents together. */
  length: number;
}

export interface Conversation {
  readonly conversationId: string;
  /** The messages with a match. */
  readonly members: ConversationMessage[];
  /** By position; sparse. */
  readonly at: (ConversationMessage | undefined)[];
}

/** The locations of the matching documents. */
export interface ConversationLayout {
  readonly conversations: readonly Conversation[];
  /** By document; `undefined` without a location. */
  readonly ofDocuments: readonly (ConversationMessage | undefined)[];
  /** As in {@link TermTable}, but with the maximum per word over the documents of a message. */
  readonly counts: Uint16Array;
}

/** Groups the documents by message, and the messages by conversation. */
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
      conversation = { conversationId, members: [], at: [] };
      conversations.set(conversationId, conversation);
    }
    let message = conversation.at[position];
    if (message === undefined) {
      message = { conversation, position, row, speaker: undefined, length: 0 };
      conversation.at[position] = message;
      conversation.members.push(message);
    } else raise(counts, { from: row * width, to: message.row * width, width });
    message.length += lengths[row] ?? 0;
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

/** The distance at which a neighbour still counts, in messages. */
export interface Reach {
  readonly back: number;
  readonly ahead: number;
}

/** Returns the unmatched messages near a message, except those that were returned before. */
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
