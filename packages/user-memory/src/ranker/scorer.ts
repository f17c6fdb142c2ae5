import type { NamedAuthors } from "./query.ts";
import type { MatchedDocument } from "./term-index.ts";
import {
  type Conversation,
  type ConversationLayout,
  type ConversationMessage,
  type TermTable,
  USUAL_LENGTH,
} from "./term-table.ts";
import { WEIGHTS } from "./weights.ts";

/**
 * The parts of a document's score, which is `((words + neighbours) × author × time + date + conversation) × role ×
 * recency`.
 */
export interface ScoreParts {
  /** The score for the query's words that the document itself contains. */
  readonly words: number;
  /** The amount that matching messages just before and after the document's message add to the score. */
  readonly neighbours: number;
  /** Factor for a document whose author the query names; 1 for other documents. */
  readonly author: number;
  /** Factor for a document that mentions a time, if the query asks for a time (`when …`); otherwise 1. */
  readonly time: number;
  /** The amount that is added to the score if the document has a date that the query names; otherwise 0. */
  readonly date: number;
  /** The amount that matching messages anywhere in the document's conversation add to the score. */
  readonly conversation: number;
  /** Factor for a message of the assistant; 1 for other messages. */
  readonly role: number;
  /** Factor for a document of a recent conversation, if the query is a broad request; otherwise 1. */
  readonly recency: number;
}

/** Scores a document by its row in the term table. With the row -1, scores a `message` without a matching document. */
export interface Scorer {
  /**
   * Returns `words + neighbours` of {@link ScoreParts} for the document at `row`. `message` is the document's message,
   * or `undefined` if the document has no location.
   */
  readonly fit: (row: number, message: ConversationMessage | undefined) => number;
  /** Returns the whole score. `fit` is the result of the method `fit` for `row` and `message`. */
  readonly score: (row: number, message: ConversationMessage | undefined, fit: number) => number;
  /** Returns the parts of the whole score. */
  readonly parts: (row: number, message: ConversationMessage | undefined) => ScoreParts;
}

export interface ScorerInput {
  readonly table: TermTable;
  readonly layout: ConversationLayout;
  readonly named: NamedAuthors;
  /** The `breadth` of the query. */
  readonly breadth: number;
}

export function createScorer(input: ScorerInput): Scorer {
  const { table } = input;
  const words = createWordScorer(input);
  const conversations = new Map(
    input.layout.conversations.map((conversation) => [conversation, conversationScore(conversation, input)]),
  );
  const authorOf = (row: number, message: ConversationMessage | undefined) =>
    row < 0 ? inferredFactor(message, input) : authorFactor(table.documents[row]?.author, input);
  const roleOf = (row: number, message: ConversationMessage | undefined) => {
    const role = row < 0 ? alternatingSpeaker(message)?.role : table.documents[row]?.role;
    return role === "assistant" ? WEIGHTS.assistant : 1;
  };
  const timeOf = (row: number) => (table.times[row] === 1 ? WEIGHTS.time : 1);
  const dateOf = (row: number, base: number) =>
    (table.dates[row] ?? 0) * (WEIGHTS.date * base + WEIGHTS.dateAlone);
  const conversationOf = (message: ConversationMessage | undefined) =>
    message === undefined ? 0 : (conversations.get(message.conversation) ?? 0);
  const recencyOf = createRecency(input);
  return {
    fit: words.around,
    score: (row, message, fit) => {
      const base = fit * authorOf(row, message) * timeOf(row);
      const whole = base + dateOf(row, base) + conversationOf(message);
      return whole * roleOf(row, message) * recencyOf(row, message);
    },
    parts: (row, message) => {
      const own = words.alone(row);
      const fit = words.around(row, message);
      const author = authorOf(row, message);
      const time = timeOf(row);
      const date = dateOf(row, fit * author * time);
      const conversation = conversationOf(message);
      return {
        words: own,
        neighbours: fit - own,
        author,
        time,
        date,
        conversation,
        role: roleOf(row, message),
        recency: recencyOf(row, message),
      };
    },
  };
}

interface WordScorer {
  readonly alone: (row: number) => number;
  readonly around: (row: number, message: ConversationMessage | undefined) => number;
}

function createWordScorer({ table, layout, breadth }: ScorerInput): WordScorer {
  const width = table.words.length;
  // For each word: the weighted count in neighbouring messages, and the weight of the nearest such message.
  const around = new Float64Array(width);
  const nearness = new Float64Array(width);
  const reach = 1 + (WEIGHTS.broadNeighbours - 1) * breadth;
  const askedHere = table.isTalk ? WEIGHTS.askedHere : 1;
  const shareOf = (length: number) => 1 / (1 - WEIGHTS.length + (WEIGHTS.length * length) / USUAL_LENGTH);

  function take(message: ConversationMessage | undefined, weight: number, asked: number): void {
    if (message === undefined || message.row < 0) return;
    const share = reach * weight * shareOf(message.length);
    const start = message.row * 2 * width;
    for (let word = 0; word < width; word++) {
      const count = (layout.counts[start + word] ?? 0) + asked * (layout.counts[start + width + word] ?? 0);
      if (count === 0) continue;
      around[word] = (around[word] ?? 0) + share * count;
      nearness[word] = Math.max(nearness[word] ?? 0, share * Math.min(1, count));
    }
  }

  function lookAround({ position, conversation: { at } }: ConversationMessage): void {
    for (let step = Math.min(WEIGHTS.before.length, position); step >= 1; step--)
      take(at[position - step], WEIGHTS.before[step - 1] ?? 0, WEIGHTS.askedBefore);
    for (let step = 1; step <= WEIGHTS.after.length; step++)
      take(at[position + step], WEIGHTS.after[step - 1] ?? 0, WEIGHTS.askedAfter);
  }

  function score(row: number): number {
    const start = row * 2 * width;
    const share = row < 0 ? 0 : shareOf(table.lengths[row] ?? USUAL_LENGTH);
    let sum = 0;
    let covered = 0;
    for (let word = 0; word < width; word++) {
      const said = row < 0 ? 0 : (table.counts[start + word] ?? 0);
      const asked = row < 0 ? 0 : (table.counts[start + width + word] ?? 0);
      const own = said + askedHere * asked;
      const count = own * share + (around[word] ?? 0);
      const rarity = table.rarity[word] ?? 0;
      if (count === 0 || rarity === 0) continue;
      sum += (rarity * count * (WEIGHTS.saturation + 1)) / (count + WEIGHTS.saturation);
      covered += Math.max(Math.min(1, own), nearness[word] ?? 0);
    }
    return covered === 0 ? 0 : sum * covered ** WEIGHTS.coverage;
  }

  const clear = () => {
    around.fill(0);
    nearness.fill(0);
  };
  return {
    alone: (row) => {
      clear();
      return score(row);
    },
    around: (row, message) => {
      clear();
      if (message !== undefined) lookAround(message);
      return score(row);
    },
  };
}

function conversationScore({ members }: Conversation, { table, layout, breadth }: ScorerInput): number {
  if (breadth === 1) return 0;
  const width = table.words.length;
  const met = new Uint8Array(width);
  for (const { row } of members) {
    const start = row * 2 * width;
    for (let slot = 0; slot < 2 * width; slot++) {
      if ((layout.counts[start + slot] ?? 0) > 0) met[slot % width] = 1;
    }
  }
  let score = 0;
  let covered = 0;
  for (const [word, rarity] of table.rarity.entries()) {
    if (met[word] === 0 || rarity === 0) continue;
    score += rarity;
    covered++;
  }
  const size = members.reduce((most, { position }) => Math.max(most, position + 1), 1);
  const share = WEIGHTS.conversation * (1 - breadth) * Math.min(1, WEIGHTS.conversationSize / size) ** 2;
  return covered === 0 ? 0 : share * score * covered ** WEIGHTS.conversationCoverage;
}

type Recency = (row: number, message: ConversationMessage | undefined) => number;

/** Returns the function that computes the factor `recency` of {@link ScoreParts}. */
function createRecency({ table: { documents }, breadth }: ScorerInput): Recency {
  if (breadth === 0) return () => 1;
  const newest = documents.reduce((most, { seq }) => Math.max(most, seq), 1);
  return (row, message) => {
    const latest = message?.conversation.latest ?? documents[row]?.seq ?? 0;
    const age = 1 - latest / newest;
    return 1 + breadth ** 2 * WEIGHTS.recency * 2 ** (-age / WEIGHTS.recencyHalf);
  };
}

function authorFactor(author: string | undefined, { named }: ScorerInput): number {
  const order = author === undefined ? undefined : named.order.get(author);
  if (order === undefined) return 1;
  return order === 0 ? WEIGHTS.author : WEIGHTS.author * WEIGHTS.laterAuthor;
}

/** Guesses the speaker of a message. Returns a document of this speaker, or `undefined` if the speaker is unknown. */
function alternatingSpeaker(message: ConversationMessage | undefined): MatchedDocument | undefined {
  // Two speakers usually alternate, so the speaker said the message two positions before or after.
  if (message === undefined) return undefined;
  const { position, conversation } = message;
  const before = position < 2 ? undefined : conversation.at[position - 2];
  return before?.speaker ?? conversation.at[position + 2]?.speaker;
}

function inferredFactor(message: ConversationMessage | undefined, { named }: ScorerInput): number {
  if (named.order.size === 0) return 1;
  const author = alternatingSpeaker(message)?.author;
  return author !== undefined && named.order.has(author) ? WEIGHTS.inferredAuthor : 1;
}
