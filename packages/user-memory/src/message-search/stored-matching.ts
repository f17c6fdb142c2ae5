import { askedTerm, type Matches, type Query } from "../ranker/index.ts";
import { MESSAGE_HEAD, type YieldIfDue } from "./conversation-index.ts";
import {
  bestOf,
  documentsOf,
  type Hit,
  type Lookup,
  lookupOf,
  REACH,
  rankedFor,
  rarityOf,
} from "./matching.ts";
import type {
  IndexedPassage,
  IndexedWord,
  MessageIndex,
  MessagePlace,
  PassageCounts,
} from "./message-index.ts";
import { createTermKeys } from "./term-keys.ts";

/** About how many passages are read from the index to choose the best of them. */
const MOST_CANDIDATES = 2_000;

interface StoredMatching {
  readonly index: MessageIndex;
  readonly userId: string;
  readonly limit: number;
  readonly conversationId: string | undefined;
  readonly yieldIfDue: YieldIfDue;
}

/** Finds the passages for a query in a stored index: the best ones by the query's rarest terms, and their neighbours. */
export async function matchStored(
  query: Query,
  { index, userId, limit, conversationId, yieldIfDue }: StoredMatching,
): Promise<Matches> {
  const keyOf = createTermKeys(userId);
  const words = [...query.words.keys()];
  const ofWords = words.map((word) => [word, askedTerm(word)]);
  const others = query.terms.filter((term) => !ofWords.flat().includes(term));
  const asked = [...ofWords, ...others.map((term) => [term])].map((terms) => terms.map(keyOf));
  const counts = await index.count(userId, asked);
  const found =
    conversationId === undefined
      ? await findRarest({ index, userId }, asked, counts)
      : { passages: await index.find(userId, { any: asked.flat(), conversationId, limit: MOST_CANDIDATES }) };
  const holders = refined(counts, asked, found);
  const lookup = lookupOf(query, (term) => keyOf(term) >>> 0);
  const hits = hitsOf(found.passages, lookup);
  await yieldIfDue();
  const rarity = Float64Array.from(words, (_, word) => rarityOf(holders[word] ?? 0, counts.size));
  const isWhole = asked.every((_, word) => found.complete?.has(word) === true);
  const choice = { most: rankedFor(limit), rarity, lookup, yieldIfDue };
  const ranked = isWhole
    ? await bestOf(hits, choice)
    : await withNeighbours(await bestOf(hits, { ...choice, reach: 0 }), (places) =>
        index.at(userId, places, asked.flat()).then((passages) => hitsOf(passages, lookup)),
      );
  return {
    size: counts.size,
    documents: ranked.flatMap((hit) => documentsOf(hit, lookup)),
    holders: new Map(words.map((word, at) => [word, holders[at] ?? 0])),
  };
}

/** Returns the messages with those near them. `read` returns the matching messages at some places, completely. */
async function withNeighbours(
  best: readonly Hit[],
  read: (places: readonly MessagePlace[]) => Promise<readonly Hit[]>,
): Promise<readonly Hit[]> {
  // Of the best messages, too, only the passages with rare words are known so far.
  return best.length === 0 ? [] : read(placesNear(best));
}

interface FoundCandidates {
  readonly passages: readonly IndexedPassage[];
  /** The words of which all passages were found, as their index. Absent: of none. */
  readonly complete?: ReadonlySet<number>;
}

/** How many common words are looked for beside another common one. */
const BESIDE = 4;

/** Finds passages with the query's rarest words, and with two of the words that are too common to read all passages. */
async function findRarest(
  { index, userId }: Pick<StoredMatching, "index" | "userId">,
  asked: readonly IndexedWord[],
  { holders, size }: PassageCounts,
): Promise<FoundCandidates> {
  const limit = MOST_CANDIDATES;
  const order = [...asked.keys()].sort((one, other) => (holders[one] ?? 0) - (holders[other] ?? 0));
  let expected = 0;
  const rare = order.filter((word) => {
    expected += holders[word] ?? 0;
    return expected <= limit;
  });
  const [common, ...others] = order.slice(rare.length, rare.length + 1 + BESIDE);
  const keysOf = (words: readonly number[]) => words.flatMap((word) => asked[word] ?? []);
  const find = async (words: readonly number[], also?: readonly number[]) => {
    if (words.length === 0 || also?.length === 0) return [];
    return index.find(userId, { any: keysOf(words), also: also && keysOf(also), limit });
  };
  const held = (words: readonly number[]) => words.reduce((sum, word) => sum + (holders[word] ?? 0), 0);
  // Words that are in a large part of all passages say little, also together.
  const isWorth = common !== undefined && (held([common]) * held(others)) / size <= 2 * limit;
  const [withRare, withTwo] = await Promise.all([find(rare), isWorth ? find([common], others) : []]);
  const complete = new Set(withRare.length < limit ? rare : []);
  if (withRare.length + withTwo.length > 0 || common === undefined)
    return { passages: distinct([...withRare, ...withTwo]), complete };
  return { passages: await find([common]), complete };
}

const distinct = (passages: readonly IndexedPassage[]): readonly IndexedPassage[] => [
  ...new Map(passages.map((passage) => [passage.number, passage])).values(),
];

/** Returns for each word the number of passages that contain it: counted where all were found, otherwise estimated. */
function refined(
  { holders, isExact }: PassageCounts,
  asked: readonly IndexedWord[],
  { passages, complete }: FoundCandidates,
): readonly number[] {
  if (isExact) return holders;
  return holders.map((estimate, word) => {
    if (complete?.has(word) !== true) return estimate;
    const keys = asked[word] ?? [];
    return passages.filter(({ terms }) => keys.some((key) => terms.includes(key))).length;
  });
}

/** Returns the messages with a passage that contains a term, in the order of their passages. */
function hitsOf(passages: readonly IndexedPassage[], lookup: Lookup): readonly Hit[] {
  const byMessage = new Map<string, IndexedPassage[]>();
  for (const passage of [...passages].sort((one, other) => one.number - other.number)) {
    const name = `${passage.position}:${passage.conversationId}`;
    const known = byMessage.get(name);
    if (known === undefined) byMessage.set(name, [passage]);
    else known.push(passage);
  }
  return [...byMessage.values()].map(toHit).flatMap((hit) => {
    const { data } = hit.segment;
    const matching = hit.passages.filter((at) => lookup.find(data, at + 2, at + 2 + (data[at] ?? 0)));
    return matching.length === 0 ? [] : [{ ...hit, passages: matching }];
  });
}

/** Converts the passages of one message into the form in which a process keeps its own index. */
function toHit(passages: readonly IndexedPassage[]): Hit {
  const [{ conversationId, position, isAssistant, number } = emptyPassage] = passages;
  const data = [0, 0, isAssistant ? 1 : 0, 0];
  const starts: number[] = [];
  for (const { terms, length } of passages) {
    starts.push(data.length);
    data.push(terms.length, length, ...terms);
  }
  data[MESSAGE_HEAD - 1] = data.length - MESSAGE_HEAD;
  const segment = { conversationId, base: position, data: Uint32Array.from(data) };
  return { segment, start: 0, before: number - 1, position, passages: starts, score: 0 };
}

const emptyPassage: IndexedPassage = {
  ...{ conversationId: "", position: 0, number: 0, isAssistant: false, length: 0, terms: [] },
};

/** Returns the places of messages and of those near them. */
function placesNear(hits: readonly Hit[]): readonly MessagePlace[] {
  const places = new Map<string, MessagePlace>();
  for (const { position: at, segment } of hits) {
    const { conversationId } = segment;
    for (let position = Math.max(0, at - REACH); position <= at + REACH; position++)
      places.set(`${position}:${conversationId}`, { conversationId, position });
  }
  return [...places.values()];
}
