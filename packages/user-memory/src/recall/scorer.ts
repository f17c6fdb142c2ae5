import type { NamedAuthors } from "./authors.ts";
import type { Evidence } from "./evidence.ts";
import type { Conversation, Spot, Spots } from "./spots.ts";
import type { RankingWeights } from "./weights.ts";

/** What a score is made of: `(words + neighbours) × author × time + date + conversation`. */
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
}

/** A document by its row; or, with row -1, a spot between documents. */
export interface Candidate {
  readonly row: number;
  readonly spot: Spot | undefined;
}

export interface Scorer {
  readonly score: (candidate: Candidate) => number;
  readonly parts: (candidate: Candidate) => ScoreParts;
}

export interface Scene {
  readonly evidence: Evidence;
  readonly spots: Spots;
  readonly named: NamedAuthors;
  readonly weights: RankingWeights;
}

const total = ({ words, neighbours, author, time, date, conversation }: ScoreParts) =>
  (words + neighbours) * author * time + date + conversation;

export function createScorer(scene: Scene): Scorer {
  const { evidence, spots, weights } = scene;
  const width = evidence.words.length;
  const conversations = new Map(
    spots.conversations.map((conversation) => [conversation, conversationScore(conversation, scene)]),
  );
  // What is said around the spot in hand, by word: how often, and how near at its nearest.
  const around = new Float64Array(width);
  const nearness = new Float64Array(width);

  function take(spot: Spot | undefined, share: number, asked: number): void {
    if (spot === undefined || spot.row < 0) return;
    const start = spot.row * 2 * width;
    for (let word = 0; word < width; word++) {
      const count = (spots.counts[start + word] ?? 0) + asked * (spots.counts[start + width + word] ?? 0);
      if (count === 0) continue;
      around[word] = (around[word] ?? 0) + share * count;
      nearness[word] = Math.max(nearness[word] ?? 0, share * Math.min(1, count));
    }
  }

  function lookAround(spot: Spot | undefined): void {
    around.fill(0);
    nearness.fill(0);
    if (spot === undefined) return;
    const { position } = spot;
    const at = spot.conversation.spots;
    weights.before.forEach((share, index) => take(at.get(position - index - 1), share, weights.askedBefore));
    weights.after.forEach((share, index) => take(at.get(position + index + 1), share, weights.askedAfter));
  }

  function wordScore(row: number): number {
    const start = row * 2 * width;
    let score = 0;
    let covered = 0;
    for (let word = 0; word < width; word++) {
      const said = row < 0 ? 0 : (evidence.counts[start + word] ?? 0);
      const asked = row < 0 ? 0 : (evidence.counts[start + width + word] ?? 0);
      const own = said + weights.askedHere * asked;
      const count = own + (around[word] ?? 0);
      const rarity = evidence.rarity[word] ?? 0;
      if (count === 0 || rarity === 0) continue;
      score += (rarity * count * (weights.saturation + 1)) / (count + weights.saturation);
      covered += Math.max(Math.min(1, own), nearness[word] ?? 0);
    }
    return covered === 0 ? 0 : score * covered ** weights.coverage;
  }

  function judge({ row, spot }: Candidate, words: number, together: number): ScoreParts {
    const author =
      row < 0 ? inferredFactor(spot, scene) : authorFactor(evidence.documents[row]?.author, scene);
    const time = (evidence.times[row] ?? 0) > 0 ? weights.time : 1;
    const date = (evidence.dates[row] ?? 0) * (weights.date * together * author * time + weights.dateAlone);
    const conversation = spot === undefined ? 0 : (conversations.get(spot.conversation) ?? 0);
    return { words, neighbours: together - words, author, time, date, conversation };
  }

  const together = ({ row, spot }: Candidate) => {
    lookAround(spot);
    return wordScore(row);
  };
  return {
    score: (candidate) => {
      const all = together(candidate);
      return total(judge(candidate, all, all));
    },
    parts: (candidate) => {
      const all = together(candidate);
      lookAround(undefined);
      return judge(candidate, wordScore(candidate.row), all);
    },
  };
}

function conversationScore({ spots: members }: Conversation, { evidence, spots, weights }: Scene): number {
  const width = evidence.words.length;
  const met = new Uint8Array(width);
  for (const { row } of members.values()) {
    if (row < 0) continue;
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
  return covered === 0 ? 0 : weights.conversation * score * covered ** weights.conversationCoverage;
}

function authorFactor(author: string | undefined, { named, weights }: Scene): number {
  const order = author === undefined ? undefined : named.order.get(author);
  if (order === undefined) return 1;
  return order === 0 ? weights.author : weights.author * weights.laterAuthor;
}

/** Two who talk take turns: a message is by whoever wrote the one two before it, or else two after. */
function inferredFactor(spot: Spot | undefined, { named, weights }: Scene): number {
  if (spot === undefined || named.order.size === 0) return 1;
  const { position, conversation } = spot;
  const author = conversation.spots.get(position - 2)?.author ?? conversation.spots.get(position + 2)?.author;
  return author !== undefined && named.order.has(author) ? weights.inferredAuthor : 1;
}
