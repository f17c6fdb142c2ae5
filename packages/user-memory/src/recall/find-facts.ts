import * as z from "zod";
import type { StoredFact, UserHead, UserKey, UserMemoryBackend } from "../backend.ts";
import type { Trust } from "../fact.ts";
import { obstacleAt, obstacleNow, ownContent } from "../facts/facts.ts";
import { detailsOf } from "../facts/quotation.ts";
import { isUsersWord, trustRank } from "../facts/trust.ts";
import type { MessageLocation } from "../ranker/index.ts";
import { isQuestion } from "../text.ts";
import { countUsersWords, readState } from "../transaction/head-state.ts";
import type { StoreScope } from "../transaction/transaction.ts";
import { checkInput, dateSchema, textSchema, trustSchema, wantedTagsSchema } from "../validation.ts";
import { type Candidate, findCandidates } from "./candidates.ts";
import { openEmbedding, type VectorOf } from "./embedding.ts";
import { type Found, limitSourceShare, mayComeFirst, orderByTrust } from "./trust-order.ts";

const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 10;
/** Maximum length of a query, in UTF-16 units. */
const MAX_QUERY = 1_000_000;

const recallSchema = z
  .strictObject({
    limit: z.int().min(0).default(DEFAULT_LIMIT),
    tags: wantedTagsSchema,
    asOf: dateSchema.optional(),
    minTrust: trustSchema.default("inferred"),
    relevantOnly: z.boolean().default(false),
    context: z.array(textSchema(MAX_QUERY, 0)).default([]),
  })
  .prefault({});

export interface RecallSettings {
  readonly limit: number;
  readonly tags: readonly string[] | undefined;
  readonly asOf: number;
  /** Whether `asOf` is the current time. */
  readonly isNow: boolean;
  readonly minTrust: Trust;
  readonly relevantOnly: boolean;
  /** The texts of the conversation before the query, oldest first. */
  readonly context: readonly string[];
}

export function readRecall(options: unknown, now: number): RecallSettings {
  const { limit, asOf, ...rest } = checkInput("recall", recallSchema, "options", options);
  const isNow = asOf === undefined || Number.isNaN(asOf);
  return { ...rest, tags: rest.tags, limit: Math.min(limit, MAX_LIMIT), asOf: isNow ? now : asOf, isNow };
}

const querySchema = textSchema(MAX_QUERY, 0);

export const readQuery = (operation: string, query: unknown): string =>
  checkInput(operation, querySchema, "query", query);

/** Minimum number of candidates in the first ranking. */
const FIRST_RANKED = 500;
/** Minimum number of candidates in the first read. */
const FIRST_READ = 20;
/** After this number of read candidates, reading stops as soon as enough facts were found. */
// Before, reading continues while a statement of the user may be unread, because it would come first.
const MOST_READ = 2_000;

interface RecallInput extends RecallSettings {
  readonly query: string;
}

interface SearchFor {
  readonly operation: string;
  readonly input: RecallInput;
  /** Makes the vector of the query. Default: calls `embed`, if it is set. */
  readonly vectorOf?: VectorOf;
  /** Reads facts and the user's head record. Default: the backend's `read`. */
  readonly read?: UserMemoryBackend["read"] | undefined;
}

interface Recalled {
  /** The found facts, best first. */
  readonly found: readonly Found[];
  /** The user's head record from the last read of facts. `null`: there is no head, or no facts were read. */
  readonly head: UserHead | null;
}

/**
 * Finds the facts for a recall: by words and, if `embed` is set, by meaning. Rejects with a `UserMemoryError` if the
 * store fails.
 */
export function findFacts(
  { transactions, settings }: StoreScope,
  user: UserKey,
  { operation, input, vectorOf = openEmbedding(settings, operation), read }: SearchFor,
): Promise<Recalled> {
  const { backend } = transactions;
  const { maxSourceShare } = settings.limits;
  return transactions.callBackend(operation, () =>
    recalled({ backend, read: read ?? backend.read.bind(backend), user, vectorOf, maxSourceShare }, input),
  );
}

interface RecallScope {
  readonly backend: UserMemoryBackend;
  readonly read: UserMemoryBackend["read"];
  readonly user: UserKey;
  readonly vectorOf: VectorOf;
  readonly maxSourceShare: number;
}

async function recalled(scope: RecallScope, input: RecallInput): Promise<Recalled> {
  const { limit, asOf, query, context, relevantOnly } = input;
  const best = await findCandidates({ ...scope, now: asOf, relevantOnly }, { query, context });
  const kept = (found: readonly Found[]): readonly Demoted[] =>
    limitSourceShare(orderByTrust(demoteQuestions(found)), limit, scope.maxSourceShare);
  const relevant = (found: readonly Found[]) =>
    !relevantOnly || found.some(({ candidate }) => candidate.fits) ? found : [];
  let most = Math.max(FIRST_RANKED, 20 * limit);
  let candidates = best(most);
  let found: readonly Found[] = [];
  for (let start = 0, size = Math.max(FIRST_READ, 2 * limit); ; start += size, size *= 2) {
    if (start + size > candidates.length && candidates.length >= most) {
      most = Number.POSITIVE_INFINITY;
      candidates = best(most);
    }
    const { head, found: batch } = await readBatch(scope, candidates.slice(start, start + size));
    found = once([...found, ...batch.filter(({ fact }) => isWanted(fact, input))]);
    const end = start + size;
    if (end >= candidates.length) return { head, found: relevant(kept(found)) };
    const first = kept(found);
    const isInOrder = first.every(({ effectiveRank }) => effectiveRank <= found.length);
    // A statement of the user among the unread candidates would come first.
    const isWhole =
      countUsersWords(readState(head)) === 0 ||
      first.every(({ fact }) => isUsersWord(fact.trust)) ||
      !mayComeFirst(candidates.slice(end), found);
    if (first.length === limit && (end >= MOST_READ || (isInOrder && isWhole)))
      return { head, found: relevant(first) };
  }
}

/** Whether a fact passes the filters of a recall: time, trust and tags. */
export const isWanted = (
  fact: StoredFact,
  { tags, asOf, isNow, minTrust }: Omit<RecallInput, "query" | "context" | "limit">,
): boolean =>
  (isNow ? obstacleNow : obstacleAt)(fact, asOf) === undefined &&
  trustRank(fact.trust) >= trustRank(minTrust) &&
  (tags === undefined || fact.tags.some((tag) => tags.includes(tag)));

async function readBatch({ read, user }: RecallScope, candidates: readonly Candidate[]): Promise<Recalled> {
  const seqs = candidates.flatMap(({ seq }) => seq ?? []);
  const locations = candidates.flatMap(({ seq, location }) =>
    seq === undefined && location !== undefined ? [location] : [],
  );
  if (candidates.length === 0) return { head: null, found: [] };
  const { head, facts } = await read(user, { seqs, locations, brief: true });
  const bySeq = new Map(facts.map((fact) => [fact.seq, fact]));
  const saidAt = (location: Partial<MessageLocation>) =>
    facts.filter(
      (fact) => fact.position === location.position && fact.conversationId === location.conversationId,
    );
  const found = candidates.flatMap((candidate) => {
    const { seq, location } = candidate;
    const named =
      seq === undefined ? saidAt(location ?? {}) : [bySeq.get(seq)].filter((fact) => fact !== undefined);
    return named.map((fact) => ({ fact, candidate }));
  });
  return { head, found };
}

/** Removes duplicate facts. */
function once(found: readonly Found[]): readonly Found[] {
  // A fact can be found by its words and by the location of its message.
  const seen = new Set<number>();
  return found.filter(({ fact }) => !seen.has(fact.seq) && seen.add(fact.seq));
}

/** The rank of a quotation that says little is multiplied by this number. */
const BEHIND = 10;

interface Demoted extends Found {
  /** The rank of the fact, from 1. For a quotation that says little, ten times the rank. */
  readonly effectiveRank: number;
}

/** Moves quotations that say little behind better facts. */
function demoteQuestions(found: readonly Found[]): readonly Demoted[] {
  // A quotation says little if it only asks, or if it has less than two content words ("Thanks!").
  return found
    .map((one, index) => ({ ...one, effectiveRank: (index + 1) * (saysLittle(one.fact) ? BEHIND : 1) }))
    .sort((a, b) => a.effectiveRank - b.effectiveRank);
}

const saysLittle = ({ fact, quotation }: StoredFact): boolean =>
  quotation !== null &&
  detailsOf({ quotation })?.question == null &&
  (isQuestion(fact) || ownContent({ fact }).size < 2);
