import type { StoredFact, UserKey } from "../backend.ts";
import { beforeDeadline } from "../background-work.ts";
import { codeOf, reportError } from "../errors.ts";
import type { UserFact } from "../fact.ts";
import { toUserFact } from "../facts/facts.ts";
import { tombstoneDigestsOf } from "../facts/tombstones.ts";
import { isUsersWord } from "../facts/trust.ts";
import { openEmbedding } from "../recall/embedding.ts";
import { findFacts } from "../recall/find-facts.ts";
import { digestsFor, type StoreScope } from "../transaction/transaction.ts";
import { forgetWrite } from "./forget.ts";
import { listStored } from "./list.ts";
import { type RememberInput, readRemember } from "./remember-input.ts";
import { hasLink, rememberWrite } from "./remember-write.ts";

/** Maximum number of stored facts that `resolve` gets as candidates. */
const CANDIDATES = 10;

export async function remember(
  scope: StoreScope,
  user: UserKey,
  { fact, options }: { readonly fact: unknown; readonly options: unknown },
): Promise<UserFact> {
  const { transactions, settings } = scope;
  const input = readRemember(fact, options, { limits: settings.limits, now: Date.now() });
  const asks = !awaitsReview(input) && (settings.embed !== undefined || settings.resolve !== undefined);
  const stored = await transactions.run(user, async ({ begin, write }) => {
    const digests = digestsFor(scope, user);
    const before = asks ? await begin({ tombstones: tombstoneDigestsOf(input, digests) }) : undefined;
    const [vector = null, contradicts = []] = asks
      ? await Promise.all([
          openEmbedding(settings, "remember")(input.fact),
          contradictedBy(scope, user, input),
        ])
      : [];
    const context = { digests, contradicts, vector, known: before?.tombstones };
    const remembering = () => write(rememberWrite(input, context));
    try {
      return await remembering();
    } catch (thrown) {
      if (input.quotation === null || !isFull(thrown)) throw thrown;
      await evictQuotations(scope, user);
      return remembering();
    }
  });
  return toUserFact(user, stored);
}

const isFull = (thrown: unknown): boolean => codeOf(thrown) === "full";

/** Whether a new fact will wait for review. */
// Before its approval, such a fact isn't passed to `embed` and `resolve`.
const awaitsReview = ({ fact, trust, quarantine, quotation }: RememberInput): boolean =>
  quarantine !== null || trust === "external" || (quotation === null && !isUsersWord(trust) && hasLink(fact));

async function contradictedBy(
  scope: StoreScope,
  user: UserKey,
  input: RememberInput,
): Promise<readonly string[]> {
  const { settings } = scope;
  const { resolve, resolveTimeoutMs } = settings;
  // A quotation has a date, so it contradicts no other fact.
  if (resolve === undefined || input.quotation !== null) return [];
  const candidates = await similarFacts(scope, user, input);
  if (candidates.length === 0) return [];
  const { fact, tags, key } = input;
  const incoming = { fact, tags, ...(key === null ? {} : { key }) };
  try {
    const proposed: unknown = await beforeDeadline(resolveTimeoutMs, () =>
      resolve(
        incoming,
        candidates.map((candidate) => toUserFact(user, candidate)),
      ),
    );
    if (!Array.isArray(proposed)) throw new TypeError("resolve must return a list of ids");
    return candidates.flatMap(({ id }) => (proposed.includes(id) ? [id] : []));
  } catch (cause) {
    const message =
      "resolve failed, so the fact was only compared with facts of the same key. Check resolve.";
    reportError(settings, { code: "storage", operation: "remember", message, retryable: true, cause });
    return [];
  }
}

async function similarFacts(
  scope: StoreScope,
  user: UserKey,
  { fact, now }: RememberInput,
): Promise<readonly StoredFact[]> {
  const wanted = {
    tags: undefined,
    asOf: now,
    isNow: false,
    minTrust: "inferred",
    relevantOnly: false,
    context: [],
  } as const;
  const input = { ...wanted, query: fact, limit: CANDIDATES };
  const { found } = await findFacts(scope, user, {
    operation: "remember",
    input,
    vectorOf: async () => null,
  });
  return found.map(({ fact: candidate }) => candidate).filter(({ status }) => status === "active");
}

/** The share of `maxQuotations` that is deleted at once, when a user has reached `maxQuotations`. */
// Each deletion reads all facts of the user, so few large deletions cost less.
const SHARE = 0.05;
const LONG_AGO = Number.NEGATIVE_INFINITY;

/**
 * Deletes the least useful quotations of a user: the oldest that were never recalled, then those recalled longest ago.
 */
async function evictQuotations(scope: StoreScope, user: UserKey): Promise<void> {
  const { transactions, settings } = scope;
  const all = await listStored(scope, user, {
    operation: "remember",
    statuses: ["active", "superseded"],
    tags: undefined,
    limit: Number.POSITIVE_INFINITY,
  });
  const count = Math.ceil(SHARE * settings.limits.maxQuotations);
  const gone = all
    .filter(({ quotation }) => quotation !== null)
    .sort((a, b) => (a.usedAt ?? LONG_AGO) - (b.usedAt ?? LONG_AGO) || ageOf(a) - ageOf(b))
    .slice(0, count);
  const ids = gone.map(({ id }) => id);
  const keys = [...new Set(gone.flatMap(({ key }) => key ?? []))];
  const digests = digestsFor(scope, user);
  await transactions.run(user, ({ write }) =>
    write(forgetWrite({ ids, keys, locations: [], digests, as: "evicted" })),
  );
}

const ageOf = ({ saidAt, createdAt }: StoredFact): number => saidAt ?? createdAt;
