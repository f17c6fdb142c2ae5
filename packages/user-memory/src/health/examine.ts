import type { MemoryProvider } from "@jaf/memory";
import * as z from "zod";
import type { UserFact } from "../fact.ts";
import { createYielding } from "../message-search/conversation-index.ts";
import type { UserMemoryStore } from "../store.ts";
import { checkInput, checkUserId } from "../validation.ts";
import { findConflicts, findContradictions } from "./contradictions.ts";
import { findDuplicates } from "./duplicates.ts";
import { type JudgeContradictions, judgeContradictions } from "./judge.ts";
import { findJunk } from "./junk.ts";
import {
  type FactKind,
  type FindingKind,
  type MemoryFinding,
  type MemoryReport,
  removedBy,
  saidTimeOf,
  toFinding,
} from "./report.ts";
import { findStale } from "./stale.ts";
import { readStatement } from "./statement.ts";
import { findUnsupported } from "./unsupported.ts";

/** Options of {@link examineUserMemory}. */
export interface ExamineOptions {
  /** The time that the report is about, e.g. to compare the health of today with that of a month ago. Default: now. */
  readonly asOf?: Date | undefined;
  /**
   * Finds contradictions that the words alone don't show. Gets at most 200 pairs of facts that share a word. Default:
   * only the patterns of this package find contradictions.
   */
  readonly judge?: JudgeContradictions | undefined;
  /**
   * The provider with the conversations that the facts come from. Finds facts whose conversation or message is gone.
   * Default: these aren't looked for.
   */
  readonly provider?: MemoryProvider | undefined;
  /**
   * Returns when a fact was last used, as your application recorded it (e.g. by `onInjected`), or `null` if it never
   * was. Facts that were stored more than 180 days ago and never used are found. Default: these aren't looked for.
   */
  readonly lastUsed?: ((fact: UserFact) => Date | null | Promise<Date | null>) | undefined;
}

const OPERATION = "examineUserMemory";
const DAY_MS = 86_400_000;
const UNUSED_AFTER_DAYS = 180;

const isFunction = (value: unknown) => typeof value === "function";

const optionsSchema = z
  .strictObject({
    asOf: z
      .custom<Date>((value) => value instanceof Date && !Number.isNaN(value.getTime()), {
        error: "expected a valid Date",
      })
      .optional(),
    judge: z.custom<JudgeContradictions>(isFunction, { error: "expected a function" }).optional(),
    provider: z
      .custom<MemoryProvider>((value) => typeof value === "object" && value !== null, {
        error: "expected a memory provider",
      })
      .optional(),
    lastUsed: z
      .custom<NonNullable<ExamineOptions["lastUsed"]>>(isFunction, { error: "expected a function" })
      .optional(),
  })
  .prefault({});

/**
 * Examines a user's facts and returns a report: what is wrong with them, why, and a remedy for each finding. Changes
 * nothing; {@link applyRemedies} does. Reads all facts of the user, so it is for a job or a page and not for each turn
 * (10,000 facts: 1 to 3 seconds, in which other work runs in between). Most rules read English; texts in other languages are only compared with each other.
 * Rejects with a `UserMemoryError`, with the error of `judge` or `lastUsed`, or with a `MemoryCallError` of the
 * provider.
 *
 * @example
 * ```ts
 * import { applyRemedies, examineUserMemory, MemoryUserMemory } from "@jaf/user-memory";
 *
 * const memory = new MemoryUserMemory();
 * await memory.remember("ada", "Prefers dark mode in every editor");
 * await memory.remember("ada", "In every editor, prefers dark mode");
 *
 * const { findings, junkRate } = await examineUserMemory(memory, "ada");
 * console.log(junkRate, findings.map(({ kind, reason, remedy }) => [kind, reason, remedy])); // nothing is changed yet
 * await applyRemedies(memory, "ada", findings.filter(({ remedy }) => remedy.action === "merge"));
 * ```
 */
export async function examineUserMemory(
  memory: Pick<UserMemoryStore, "list">,
  userId: string,
  options: ExamineOptions = {},
): Promise<MemoryReport> {
  checkUserId(OPERATION, userId);
  const { asOf = new Date(), ...given } = checkInput(OPERATION, optionsSchema, "options", options);
  const at = asOf.getTime();
  const listed = await memory.list(userId, { status: ["active", "quarantined", "superseded"] });
  const stored = listed.filter(({ createdAt }) => createdAt.getTime() <= at);
  const kindOf = new Map(stored.map((fact) => [fact, factKindOf(fact, at)]));
  const kinds = countsOf([...kindOf.values()]);
  const inUse = stored
    .filter((fact) => !OUT_OF_USE.has(kindOf.get(fact) ?? "ended"))
    .toSorted((a, b) => saidTimeOf(b) - saidTimeOf(a));
  const waiting = stored.filter((fact) => kindOf.get(fact) === "quarantined");
  const findings = await findAll({ inUse, waiting, at }, given);
  const removed = new Set(findings.flatMap(({ remedy }) => removedBy(remedy)));
  return {
    ...{ asOf, kinds, findings },
    stored: stored.length,
    inUse: inUse.length,
    junkRate: inUse.length === 0 ? 0 : removed.size / inUse.length,
    notExamined: [
      ...(given.provider === undefined ? (["unsupported"] satisfies FindingKind[]) : []),
      ...(given.lastUsed === undefined ? (["unused"] satisfies FindingKind[]) : []),
    ],
  };
}

const OUT_OF_USE: ReadonlySet<FactKind> = new Set<FactKind>(["quarantined", "superseded", "ended"]);

function factKindOf(fact: UserFact, at: number): FactKind {
  const { status, supersededAt, validFrom, validUntil, quotation, trust } = fact;
  if (status === "quarantined") return "quarantined";
  if (supersededAt !== undefined && supersededAt.getTime() <= at) return "superseded";
  if (validFrom.getTime() > at || (validUntil !== undefined && validUntil.getTime() <= at)) return "ended";
  return quotation === undefined ? trust : "quotation";
}

function countsOf(kinds: readonly FactKind[]): Record<FactKind, number> {
  const counts: Record<FactKind, number> = {
    ...{ stated: 0, confirmed: 0, inferred: 0, external: 0, quotation: 0 },
    ...{ quarantined: 0, superseded: 0, ended: 0 },
  };
  for (const kind of kinds) counts[kind] += 1;
  return counts;
}

interface Examined {
  /** Newest first. */
  readonly inUse: readonly UserFact[];
  readonly waiting: readonly UserFact[];
  readonly at: number;
}

async function findAll(
  { inUse, waiting, at }: Examined,
  { judge, provider, lastUsed }: Omit<ExamineOptions, "asOf">,
): Promise<readonly MemoryFinding[]> {
  const each = createCollecting();
  const junk = await each(inUse, findJunk);
  // A fact that is forgotten or ended anyway needs no second remedy.
  const stale = await each(without(inUse, junk), (fact) => findStale(fact, at));
  const unsupported = provider === undefined ? [] : await findUnsupported(without(inUse, junk), provider);
  const lasting = without(inUse, [...junk, ...stale, ...unsupported]);
  const statements = await each(lasting, readStatement);
  const { findings: duplicates, surplus } = findDuplicates(statements);
  const distinct = statements.filter(({ fact }) => !surplus.has(fact.id));
  const opposed = [...findConflicts(waiting, inUse), ...findContradictions(distinct)];
  const judged = judge === undefined ? [] : await judgeContradictions(distinct, judge);
  const known = new Set(opposed.map(({ id }) => id));
  const unused = lastUsed === undefined ? [] : await findUnused(lasting, { at, lastUsed });
  return [
    ...opposed,
    ...judged.filter(({ id }) => !known.has(id)),
    ...duplicates,
    ...stale,
    ...unsupported,
    ...junk,
    ...unused,
  ];
}

/** Returns a function that collects what `find` returns for each fact, and lets other work run in between. */
function createCollecting() {
  const yieldIfDue = createYielding();
  return async <T>(
    facts: readonly UserFact[],
    find: (fact: UserFact) => T | undefined,
  ): Promise<readonly T[]> => {
    const found: T[] = [];
    for (const fact of facts) {
      await yieldIfDue();
      const one = find(fact);
      if (one !== undefined) found.push(one);
    }
    return found;
  };
}

function without(facts: readonly UserFact[], findings: readonly MemoryFinding[]): readonly UserFact[] {
  const found = new Set(findings.flatMap((finding) => finding.facts.map(({ id }) => id)));
  return facts.filter(({ id }) => !found.has(id));
}

interface Use {
  readonly at: number;
  readonly lastUsed: NonNullable<ExamineOptions["lastUsed"]>;
}

async function findUnused(
  facts: readonly UserFact[],
  { at, lastUsed }: Use,
): Promise<readonly MemoryFinding[]> {
  const findings: MemoryFinding[] = [];
  for (const fact of facts) {
    if (fact.createdAt.getTime() > at - UNUSED_AFTER_DAYS * DAY_MS) continue;
    if ((await lastUsed(fact)) !== null) continue;
    findings.push(
      toFinding({
        kind: "unused",
        facts: [fact],
        reason: `It has been stored for more than ${UNUSED_AFTER_DAYS} days and was never used.`,
        remedy: { action: "ask", question: "Should I keep this?" },
      }),
    );
  }
  return findings;
}
