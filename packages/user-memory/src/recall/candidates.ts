import type { UserKey, UserMemoryBackend } from "../backend.ts";
import { thirdPartySpans } from "../evidence/third-party-text.ts";
import {
  blend,
  createFits,
  type Fits,
  isFollowUp,
  type Matches,
  type MessageLocation,
  parseQuery,
  type RankedItem,
  type Reasons,
  rank,
} from "../ranker/index.ts";
import type { RecallReason } from "../store.ts";
import type { VectorOf } from "./embedding.ts";

/** Maximum number of candidates that are found by meaning. */
const NEAREST = 100;

/** A fact that a query may find, before the fact is read from the backend. */
export interface Candidate {
  readonly seq?: number | undefined;
  /** The location of a message, if `seq` is absent. All facts from this message are candidates. */
  readonly location?: MessageLocation | undefined;
  /** The ranker's score by words. 0 if only the meaning matches. */
  readonly words: number;
  /** Cosine similarity to the query. 0 if only the words match. */
  readonly meaning: number;
  readonly reasons: readonly RecallReason[];
  /** Whether the fact matches so well that a recall with `relevantOnly` returns facts. */
  readonly fits: boolean;
}

interface Search {
  readonly backend: UserMemoryBackend;
  readonly user: UserKey;
  readonly vectorOf: VectorOf;
  readonly now: number;
  readonly relevantOnly: boolean;
}

/** Returns the candidates, best first: all that were found by meaning, and at most `most` that were found by words. */
export type Candidates = (most: number) => readonly Candidate[];

interface Asked {
  readonly query: string;
  /** The texts of the conversation before the query, oldest first. */
  readonly context: readonly string[];
}

/** Finds candidates for a query by words and by meaning. Returns a function that ranks the candidates. */
export async function findCandidates(
  { backend, user, vectorOf, now, relevantOnly }: Search,
  { query: text, context }: Asked,
): Promise<Candidates> {
  const query = parseQuery(text, { now, context });
  const [matches, near] = await Promise.all([
    query.terms.length === 0 ? undefined : backend.match(user, query.terms),
    backend.nearest === undefined
      ? undefined
      : vectorOf(text).then((vector) => vector && backend.nearest?.(user, vector, NEAREST)),
  ]);
  const byMeaning = (near ?? []).filter(({ similarity }) => similarity > 0);
  const fits =
    relevantOnly && matches !== undefined
      ? fitsOf({ query: withoutPasted(text), context, now }, matches)
      : () => false;
  return (most) => {
    const ranked = matches === undefined ? [] : rank(query, matches, { limit: most });
    const byWords = ranked.map((item) => ofRanked(item, fits));
    return byMeaning.length === 0 ? byWords : joined(byWords, byMeaning, createStandsOut(near ?? []));
  };
}

/** Returns the function that tells which facts fit a message without pasted text, or what a follow-up continues. */
function fitsOf({ query, context, now }: Asked & { readonly now: number }, matches: Matches): Fits {
  const own = parseQuery(query, { now });
  if (!isFollowUp(query)) return createFits(own, matches);
  // The last text is the assistant's reply, whose many words would ask for too much.
  const before = withoutPasted(context.at(-2) ?? "");
  const fits = createFits(parseQuery(`${before}\n${query}`, { now }), matches);
  // "What is 6 * 7?" continues nothing, so a fact must contain one of its words.
  return (reasons) =>
    fits(reasons) && (own.words.size === 0 || reasons.terms.some((term) => own.words.has(term)));
}

/** Number of UTF-16 units of a query in which pasted text is looked for. */
const READ = 4_096;

/** Returns the beginning of a query without pasted text, which seldom says what the user wants. */
function withoutPasted(query: string): string {
  const text = query.slice(0, READ);
  let at = 0;
  const kept = thirdPartySpans(text).map(({ start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return before;
  });
  return [...kept, text.slice(at)].join("\n");
}

interface Near {
  readonly seq: number;
  readonly similarity: number;
}

function joined(
  byWords: readonly Candidate[],
  byMeaning: readonly Near[],
  standsOut: (similarity: number) => boolean,
): readonly Candidate[] {
  const all = new Map(byWords.map((candidate) => [nameOf(candidate), candidate]));
  for (const { seq, similarity } of byMeaning) {
    const words = all.get(nameOf({ seq })) ?? { seq, words: 0, reasons: [], fits: false };
    const reason = { kind: "meaning", score: similarity } as const;
    all.set(nameOf({ seq }), {
      ...words,
      ...{ meaning: similarity, reasons: [...words.reasons, reason] },
      fits: words.fits || standsOut(similarity),
    });
  }
  const blended = blend(
    byWords.map((candidate) => ({ id: nameOf(candidate), score: candidate.words })),
    byMeaning.map(({ seq, similarity }) => ({ id: nameOf({ seq }), similarity })),
  );
  return blended.flatMap((id) => all.get(id) ?? []);
}

/** How many standard deviations the similarity of a fact that fits is above the mean similarity. */
const DEVIATIONS = 3.5;
/** Among fewer facts than this number, every similarity stands out. */
const MANY = 20;

/** Returns the function that tells whether a similarity stands out among those of the nearest facts. */
// Each embedding model has its own scale of similarities, so there is no fixed minimum.
function createStandsOut(near: readonly Near[]): (similarity: number) => boolean {
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const mean = meanOf(near.map(({ similarity }) => similarity));
  const deviation = Math.sqrt(meanOf(near.map(({ similarity }) => (similarity - mean) ** 2)));
  return (similarity) => near.length < MANY || similarity - mean >= DEVIATIONS * deviation;
}

function ofRanked({ seq, location, score, reasons }: RankedItem, fits: Fits): Candidate {
  const found = { words: score, meaning: 0, reasons: reasonsOf(reasons), fits: fits(reasons) };
  return seq === undefined ? { location, ...found } : { seq, ...found };
}

const nameOf = ({
  seq,
  location,
}: {
  readonly seq?: number | undefined;
  readonly location?: MessageLocation | undefined;
}) => (seq === undefined ? `${location?.position}:${location?.conversationId}` : `${seq}`);

/** Returns the parts of a score that are above 0, largest first. */
function reasonsOf(parts: Reasons): readonly RecallReason[] {
  const { terms, words, neighbours, author, time, date, conversation } = parts;
  const own = words + neighbours;
  const reasons: readonly RecallReason[] = [
    { kind: "terms", score: words, terms },
    { kind: "neighbours", score: neighbours },
    { kind: "author", score: own * (author - 1) },
    { kind: "date", score: own * author * (time - 1) + date },
    { kind: "conversation", score: conversation },
  ];
  return reasons.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
}
