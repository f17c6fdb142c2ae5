import { createHash } from "node:crypto";
import type { StoredFact, Tombstone, UserSnapshot } from "../backend.ts";
import { erasedError, forgottenError, fullError } from "../errors.ts";
import type { QuarantineReason } from "../fact.ts";
import { ownContent, termsOfFact } from "../facts/facts.ts";
import { wordingOf } from "../facts/quotation.ts";
import { type Digests, isBlockedByTombstone, tombstoneDigestsOf } from "../facts/tombstones.ts";
import { isUsersWord, type Source, sourceOf, supersessionOf } from "../facts/trust.ts";
import type { UserMemoryLimits } from "../options.ts";
import { supersede } from "../transaction/draft.ts";
import type { HeadState } from "../transaction/head-state.ts";
import type { Write, WriteDecision, WriteScope } from "../transaction/transaction.ts";
import type { RememberInput } from "./remember-input.ts";
import { repeat } from "./remember-repeated.ts";

/** The data that a write of a fact needs in addition to the fact. */
export interface RememberContext {
  readonly digests: Digests;
  /** Ids of the stored facts that the new fact contradicts, as the option `resolve` returned them. */
  readonly contradicts: readonly string[];
  readonly vector: readonly number[] | null;
  /**
   * The tombstones at the start of this call of `remember`. `undefined`: the call didn't wait for `embed` or `resolve`.
   */
  readonly known: readonly Tombstone[] | undefined;
}

/** Returns the write that stores a new fact or merges a repeated fact. The result of the write is the stored fact. */
export function rememberWrite(input: RememberInput, context: RememberContext): Write<StoredFact> {
  const digest = context.digests.ofFact(wordingOf(input));
  const tombstoneDigests = tombstoneDigestsOf(input, context.digests);
  const keys = input.key === null ? [] : [input.key];
  const named = { digests: [digest], ids: context.contradicts, tombstones: tombstoneDigests };
  const wanted: Wanted = { ...input, ...context, digest, tombstoneDigests };
  let whole = false;
  return {
    operation: "remember",
    since: input.since,
    selection: { ...named, currentKeys: keys },
    decide: (scope) => {
      // If the new fact is older than a stored one, the whole history of the key is needed.
      const isLate = ({ key, validFrom }: StoredFact) =>
        input.isDated && key === input.key && validFrom > input.validFrom;
      if (keys.length === 0 || whole || !scope.snapshot.facts.some(isLate)) return decide(scope, wanted);
      whole = true;
      return { selection: { ...named, keys } };
    },
  };
}

type Wanted = RememberInput &
  RememberContext & { readonly digest: string; readonly tombstoneDigests: readonly string[] };

function decide(scope: WriteScope, asked: Wanted): WriteDecision<StoredFact> {
  const { snapshot, draft, state } = scope;
  if (isErased(scope, asked)) throw erasedError("remember");
  if (isBlockedByTombstone(snapshot.tombstones, asked)) throw forgottenError();
  const wanted = resolveKeyAndDate(snapshot, asked);
  const same = snapshot.facts.find(
    ({ digest, status }) => digest === wanted.digest && status !== "superseded",
  );
  if (same !== undefined) return repeat(scope, same, wanted);
  const incoming = newFact(wanted, (snapshot.head?.version ?? 0) + 1);
  const fact = accept(scope, { fact: incoming, asked: wanted.quarantine }, contradictedBy(snapshot, wanted));
  checkRoom(scope, fact);
  if (fact.trust === "inferred" && fact.quotation === null)
    draft.setExtracted(countExtracted(state.extracted, fact, scope));
  // The user states the fact again, so the fact can be extracted again.
  if (wanted.extractor === null && isUsersWord(fact.trust) && fact.status !== "quarantined")
    draft.removeTombstones(wanted.tombstoneDigests);
  return { result: fact, change: draft.build() };
}

/** Decides the key and the date of a new fact. */
function resolveKeyAndDate({ facts }: UserSnapshot, wanted: Wanted): Wanted {
  // A key that a model proposed only counts if every current statement or quotation of the user with this key shares a
  // word with the new fact. So a model can't supersede an unrelated statement. The key of a quotation only counts if
  // all current facts with this key are quotations. A fact without a date gets at least the date of the newest current
  // fact with its key, even if the clock of this process is behind.
  const { key, extractor, isDated, validFrom } = wanted;
  const current = facts.filter((fact) => fact.status === "active" && key !== null && fact.key === key);
  const content = ownContent(wanted);
  const isForeign = (fact: StoredFact): boolean => {
    if (wanted.quotation !== null && fact.quotation === null) return true;
    const isOfUser = isUsersWord(fact.trust) || fact.quotation !== null;
    return isOfUser && !sharesWord(ownContent(fact), content);
  };
  const isProposed = extractor !== null || wanted.quotation !== null;
  if (isProposed && current.some(isForeign)) return { ...wanted, key: null };
  const latest = Math.max(validFrom, ...current.map((fact) => fact.validFrom));
  return isDated ? wanted : { ...wanted, validFrom: latest };
}

const sharesWord = (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...some].some((term) => others.has(term));

/**
 * Whether a fact was extracted from a message that is older than the last erasure. A message of unknown time counts as
 * older.
 */
const isErased = ({ state }: WriteScope, { extractor, saidAt }: Wanted): boolean =>
  extractor !== null && state.erasedAt > 0 && (saidAt === null || saidAt <= state.erasedAt);

/**
 * Returns the facts that a new fact may contradict: facts with its key, and active facts whose ids `resolve` returned.
 */
function contradictedBy({ facts }: UserSnapshot, { key, contradicts }: Wanted): readonly StoredFact[] {
  return facts.filter(
    ({ id, status, key: other }) =>
      (status !== "quarantined" && key !== null && other === key) ||
      (status === "active" && contradicts.includes(id)),
  );
}

function newFact(wanted: Wanted, seq: number): StoredFact {
  const { id, fact, tags, score, trust, key, digest, now, vector } = wanted;
  const { conversationId, position, messageId, author, extractor, evidence, saidAt } = wanted;
  return {
    ...{ seq, id, fact, tags, score, trust, key, digest },
    ...{ conversationId, position, messageId, author, extractor, evidence, saidAt },
    quotation: wanted.quotation,
    usedAt: null,
    status: "active",
    quarantine: null,
    createdAt: now,
    updatedAt: null,
    validFrom: wanted.validFrom,
    validUntil: wanted.validUntil,
    supersededBy: null,
    supersededAt: null,
    conflictsWith: null,
    terms: termsOfFact(wanted),
    vector,
  };
}

/** Adds a new fact to the draft as active, superseded or quarantined, and returns it. */
function accept(
  scope: WriteScope,
  { fact, asked }: { readonly fact: StoredFact; readonly asked: QuarantineReason | null },
  contradicted: readonly StoredFact[],
): StoredFact {
  const { draft } = scope;
  const found = supersessionOf(fact, contradicted);
  const reason = asked ?? quarantineOf(scope, fact) ?? (found.kind === "conflict" ? "conflict" : null);
  if (reason !== null) {
    const conflictsWith = found.kind === "conflict" ? found.with.id : null;
    const waiting = { ...inQuarantine(fact, reason), conflictsWith };
    draft.put("quarantined", waiting);
    return waiting;
  }
  const { replaces, by } = found as Extract<typeof found, { kind: "accepted" }>;
  const accepted: StoredFact =
    by === undefined
      ? fact
      : { ...fact, status: "superseded", supersededBy: by.id, supersededAt: by.validFrom };
  draft.put("remembered", accepted);
  supersede(draft, replaces, accepted);
  return accepted;
}

const inQuarantine = (fact: StoredFact, quarantine: QuarantineReason): StoredFact => ({
  ...fact,
  status: "quarantined",
  quarantine,
  terms: [],
  vector: null,
});

function quarantineOf(scope: WriteScope, fact: StoredFact): QuarantineReason | null {
  if (fact.trust === "external") return "external";
  if (isUsersWord(fact.trust) || fact.quotation !== null) return null;
  if (hasLink(fact.fact)) return "link";
  return isExtractedTooOften(scope.state.extracted, fact, scope) ? "rate" : null;
}

const LINK =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\.|!?\[[^\]]{0,2000}\]\s?[([]|\b(?:data|javascript|mailto):|<\s*(?:img|a|iframe|script)\b/iu;

/** Whether a text contains a URL, an image or a link. */
// A page that shows the text could load the image or offer the link.
export const hasLink = (text: string): boolean => LINK.test(text.normalize("NFKC"));

/** Maximum number of sources whose inferred facts are counted. */
// With more sources, the one that was counted longest ago is dropped.
const MAX_COUNTED = 64;

type ExtractionCounts = HeadState["extracted"];

interface Clock {
  readonly limits: UserMemoryLimits;
  readonly now: number;
}

const nameOf = (source: Source): string =>
  createHash("sha256").update(sourceOf(source), "utf8").digest("base64url").slice(0, 22);

const isOpen = (since: number, { limits, now }: Clock): boolean =>
  since <= now && now < since + limits.extractionWindowMs;

/** Whether `maxExtractedPerConversation` facts were already inferred from a source within the time window. */
function isExtractedTooOften(counts: ExtractionCounts, source: Source, clock: Clock): boolean {
  const [, count = 0, since = 0] = counts.find(([name]) => name === nameOf(source)) ?? [];
  return isOpen(since, clock) && count >= clock.limits.maxExtractedPerConversation;
}

function countExtracted(counts: ExtractionCounts, source: Source, clock: Clock): ExtractionCounts {
  const name = nameOf(source);
  const open = counts.filter(([, , since]) => isOpen(since, clock));
  const [, count = 0, since = clock.now] = open.find(([other]) => other === name) ?? [];
  const others = open.filter(([other]) => other !== name);
  return [...others.slice(-(MAX_COUNTED - 1)), [name, count + 1, since]];
}

function checkRoom({ state, limits }: WriteScope, fact: StoredFact): void {
  if (fact.quotation !== null) {
    if (state.quotations >= limits.maxQuotations) throw fullError("quotations", "maxQuotations");
    return;
  }
  if (state.facts - state.quotations >= limits.maxFacts) throw fullError("facts", "maxFacts");
  if (fact.status === "quarantined" && state.quarantined >= limits.maxQuarantined) {
    throw fullError("facts that wait for review", "maxQuarantined");
  }
  const isUntrusted = fact.status !== "quarantined" && !isUsersWord(fact.trust);
  if (isUntrusted && state.untrusted >= limits.maxUntrustedFacts) {
    throw fullError("facts that aren't the user's own word", "maxUntrustedFacts");
  }
}
