import type { Query } from "./query.ts";
import type { MatchedDocument, Matches } from "./term-index.ts";
import { askedTerm, TIME_TERM } from "./tokenizer.ts";
import { WEIGHTS } from "./weights.ts";

/**
 * What the documents say on a query, each by itself. A table, a row for each document, because a query with a common
 * word meets thousands of them.
 */
export interface TermTable {
  readonly documents: readonly MatchedDocument[];
  /** The words of the query, stemmed. */
  readonly words: readonly string[];
  /** By word: how rare it is among the user's documents, above 0; 0 for one that doesn't count. */
  readonly rarity: Float64Array;
  /** A row holds how often each word is said in a document and, behind these, how often it is asked with; at most 65,535. */
  readonly counts: Uint16Array;
  /** By document: how many terms it has; {@link USUAL_LENGTH} where that isn't known. */
  readonly lengths: Float64Array;
  /** Whether several people talk: then what one asks, another answers. */
  readonly isTalk: boolean;
  /** By document: how well its date answers, from 0 to 1. */
  readonly dates: Float64Array;
  /** By document: 1 if it says when and the query asks so. */
  readonly times: Uint8Array;
}

const MOST = 65_535;
/** Of two or three sentences. */
export const USUAL_LENGTH = 20;

/** Reads every document once. `names`: words of the query that name authors; they don't count, unless there is nothing else. */
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

/** By word, how many documents hold it. */
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

/** A message of a conversation in which something matches, or next to one. */
export interface ConversationMessage {
  readonly conversation: Conversation;
  readonly position: number;
  /** The row of what is said there; -1 where no document of the message matches. */
  readonly row: number;
  /** Of the documents that match there: the oldest that names its author or side. */
  speaker: MatchedDocument | undefined;
  /** Of the documents that match there, together. */
  length: number;
}

export interface Conversation {
  readonly conversationId: string;
  /** Those at which something matches. */
  readonly members: ConversationMessage[];
  /** By position, with holes. */
  readonly at: (ConversationMessage | undefined)[];
}

/** Where the documents stand that match. */
export interface ConversationLayout {
  readonly conversations: readonly Conversation[];
  /** By document; `undefined` for one that has no location. */
  readonly ofDocuments: readonly (ConversationMessage | undefined)[];
  /** As in {@link TermTable}, but a row holds, by word, the most that a document of the message holds. */
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

/** How many messages away something still counts. */
export interface Reach {
  readonly back: number;
  readonly ahead: number;
}

/** The messages near a message in which nothing matches, but for those that were returned before. */
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
