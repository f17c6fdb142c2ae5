import type { NamedAuthors } from "./authors.ts";
import type { Conversation, Spot, Spots } from "./conversations.ts";
import type { MatchedDocument } from "./matches.ts";
import { type Evidence, USUAL_LENGTH } from "./term-table.ts";
import type { RankingWeights } from "./weights.ts";

/** What a score is made of: `((words + neighbours) × author × time + date + conversation) × role`. */
export interface ScoreParts {
  /** What the words of the query give that the document itself holds. */
  readonly words: number;
  /** What the messages just before and after add. */
  readonly neighbours: number;
  /** Factor for being by somebody whom the query names; 1 for everybody else. */
  readonly author: number;
  /** Factor for saying when, if the query asks when; else 1. */
  readonly time: number;
  /** What is added for being of a date that the query names. */
  readonly date: number;
  /** What is added for what the conversation as a whole says. */
  readonly conversation: number;
  /** Factor for being the assistant's; 1 for everybody else's. */
  readonly role: number;
}

/** Scores a document by its row, or, with row -1, a spot at which none matches. */
export interface Scorer {
  /** What its words and those around it give: the base of its score. */
  readonly fit: (row: number, spot: Spot | undefined) => number;
  /** Its score, of its fit. */
  readonly score: (row: number, spot: Spot | undefined, fit: number) => number;
  /** What its score is made of. */
  readonly parts: (row: number, spot: Spot | undefined) => ScoreParts;
}

export interface Scene {
  readonly evidence: Evidence;
  readonly spots: Spots;
  readonly named: NamedAuthors;
  readonly weights: RankingWeights;
}

export function createScorer(scene: Scene): Scorer {
  const { evidence, weights } = scene;
  const words = createWordScorer(scene);
  const conversations = new Map(
    scene.spots.conversations.map((conversation) => [conversation, conversationScore(conversation, scene)]),
  );
  const authorOf = (row: number, spot: Spot | undefined) =>
    row < 0 ? inferredFactor(spot, scene) : authorFactor(evidence.documents[row]?.author, scene);
  const roleOf = (row: number, spot: Spot | undefined) => {
    const role = row < 0 ? turnTaker(spot)?.role : evidence.documents[row]?.role;
    return role === "assistant" ? weights.assistant : 1;
  };
  const timeOf = (row: number) => (evidence.times[row] === 1 ? weights.time : 1);
  const dateOf = (row: number, told: number) =>
    (evidence.dates[row] ?? 0) * (weights.date * told + weights.dateAlone);
  const conversationOf = (spot: Spot | undefined) =>
    spot === undefined ? 0 : (conversations.get(spot.conversation) ?? 0);
  return {
    fit: words.around,
    score: (row, spot, fit) => {
      const told = fit * authorOf(row, spot) * timeOf(row);
      return (told + dateOf(row, told) + conversationOf(spot)) * roleOf(row, spot);
    },
    parts: (row, spot) => {
      const own = words.alone(row);
      const fit = words.around(row, spot);
      const author = authorOf(row, spot);
      const time = timeOf(row);
      const date = dateOf(row, fit * author * time);
      const conversation = conversationOf(spot);
      return { words: own, neighbours: fit - own, author, time, date, conversation, role: roleOf(row, spot) };
    },
  };
}

interface WordScorer {
  readonly alone: (row: number) => number;
  readonly around: (row: number, spot: Spot | undefined) => number;
}

function createWordScorer({ evidence, spots, weights }: Scene): WordScorer {
  const width = evidence.words.length;
  // What is said around the spot in hand, by word: how often, and how near at its nearest.
  const around = new Float64Array(width);
  const nearness = new Float64Array(width);
  const askedHere = evidence.isTalk ? weights.askedHere : 1;
  const shareOf = (length: number) => 1 / (1 - weights.length + (weights.length * length) / USUAL_LENGTH);

  function take(spot: Spot | undefined, weight: number, asked: number): void {
    if (spot === undefined || spot.row < 0) return;
    const share = weight * shareOf(spot.length);
    const start = spot.row * 2 * width;
    for (let word = 0; word < width; word++) {
      const count = (spots.counts[start + word] ?? 0) + asked * (spots.counts[start + width + word] ?? 0);
      if (count === 0) continue;
      around[word] = (around[word] ?? 0) + share * count;
      nearness[word] = Math.max(nearness[word] ?? 0, share * Math.min(1, count));
    }
  }

  function lookAround({ position, conversation: { at } }: Spot): void {
    for (let step = Math.min(weights.before.length, position); step >= 1; step--)
      take(at[position - step], weights.before[step - 1] ?? 0, weights.askedBefore);
    for (let step = 1; step <= weights.after.length; step++)
      take(at[position + step], weights.after[step - 1] ?? 0, weights.askedAfter);
  }

  function score(row: number): number {
    const start = row * 2 * width;
    const share = row < 0 ? 0 : shareOf(evidence.lengths[row] ?? USUAL_LENGTH);
    let sum = 0;
    let covered = 0;
    for (let word = 0; word < width; word++) {
      const said = row < 0 ? 0 : (evidence.counts[start + word] ?? 0);
      const asked = row < 0 ? 0 : (evidence.counts[start + width + word] ?? 0);
      const own = said + askedHere * asked;
      const count = own * share + (around[word] ?? 0);
      const rarity = evidence.rarity[word] ?? 0;
      if (count === 0 || rarity === 0) continue;
      sum += (rarity * count * (weights.saturation + 1)) / (count + weights.saturation);
      covered += Math.max(Math.min(1, own), nearness[word] ?? 0);
    }
    return covered === 0 ? 0 : sum * covered ** weights.coverage;
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
    around: (row, spot) => {
      clear();
      if (spot !== undefined) lookAround(spot);
      return score(row);
    },
  };
}

function conversationScore({ members }: Conversation, { evidence, spots, weights }: Scene): number {
  const width = evidence.words.length;
  const met = new Uint8Array(width);
  for (const { row } of members) {
    const start = row * 2 * width;
    for (let slot = 0; slot < 2 * width; slot++) {
      if ((spots.counts[start + slot] ?? 0) > 0) met[slot % width] = 1;
    }
  }
  let score = 0;
  let covered = 0;
  for (const [word, rarity] of evidence.rarity.entries()) {
    if (met[word] === 0 || rarity === 0) continue;
    score += rarity;
    covered++;
  }
  const size = members.reduce((most, { position }) => Math.max(most, position + 1), 1);
  const share = weights.conversation * Math.min(1, weights.conversationSize / size) ** 2;
  return covered === 0 ? 0 : share * score * covered ** weights.conversationCoverage;
}

function authorFactor(author: string | undefined, { named, weights }: Scene): number {
  const order = author === undefined ? undefined : named.order.get(author);
  if (order === undefined) return 1;
  return order === 0 ? weights.author : weights.author * weights.laterAuthor;
}

/** Two who talk take turns: a message is by whoever wrote the one two before it, or else two after. */
function turnTaker(spot: Spot | undefined): MatchedDocument | undefined {
  if (spot === undefined) return undefined;
  const { position, conversation } = spot;
  const before = position < 2 ? undefined : conversation.at[position - 2];
  return before?.voice ?? conversation.at[position + 2]?.voice;
}

function inferredFactor(spot: Spot | undefined, { named, weights }: Scene): number {
  if (named.order.size === 0) return 1;
  const author = turnTaker(spot)?.author;
  return author !== undefined && named.order.has(author) ? weights.inferredAuthor : 1;
}
