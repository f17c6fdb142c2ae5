import type { UserFact } from "../fact.ts";
import type { UserMemoryStore } from "../store.ts";
import { checkUserId } from "../validation.ts";
import { type MemoryFinding, versionOf } from "./report.ts";

/**
 * What became of a finding:
 * - `"applied"`: its remedy was applied now.
 * - `"in-effect"`: its remedy was in effect already. Nothing was changed.
 * - `"changed"`: one of its facts has changed since the report, or isn't active. Nothing was changed.
 * - `"answer-needed"`: its remedy is to ask the user. Nothing was changed.
 */
export type RemedyOutcome = "applied" | "in-effect" | "changed" | "answer-needed";

/** What became of one finding. */
export interface AppliedRemedy {
  readonly finding: MemoryFinding;
  readonly outcome: RemedyOutcome;
}

/** The methods of a store that remedies need. */
type Changeable = Pick<UserMemoryStore, "get" | "update" | "forget">;

const OPERATION = "applyRemedies";

/**
 * Applies the remedies of chosen findings, one after the other, and returns what became of each. Facts are forgotten
 * only if a chosen finding has the remedy `"forget"`. A finding is left alone if one of its facts has changed since the
 * report, so it is safe to apply findings again, also after a failure. Rejects with a `UserMemoryError`.
 *
 * @example
 * ```ts
 * import { applyRemedies, examineUserMemory, MemoryUserMemory } from "@jaf/user-memory";
 *
 * const memory = new MemoryUserMemory();
 * const { findings } = await examineUserMemory(memory, "ada");
 * const stale = findings.filter(({ kind }) => kind === "stale");
 * for (const { finding, outcome } of await applyRemedies(memory, "ada", stale)) console.log(finding.id, outcome);
 * ```
 */
export async function applyRemedies(
  memory: Changeable,
  userId: string,
  findings: readonly MemoryFinding[],
): Promise<readonly AppliedRemedy[]> {
  checkUserId(OPERATION, userId);
  const applied: AppliedRemedy[] = [];
  for (const finding of findings)
    applied.push({ finding, outcome: await applyRemedy(memory, userId, finding) });
  return applied;
}

async function applyRemedy(
  memory: Changeable,
  userId: string,
  { facts, remedy }: MemoryFinding,
): Promise<RemedyOutcome> {
  if (remedy.action === "ask") return "answer-needed";
  const now = new Map<string, UserFact | null>();
  for (const { id } of facts) now.set(id, await memory.get(userId, id));
  if (remedy.action === "forget") {
    const left = remedy.forget.filter((id) => now.get(id) !== null);
    if (left.length === 0) return "in-effect";
    if (!areUnchanged(facts, now)) return "changed";
    for (const id of left) await memory.forget(userId, id);
    return "applied";
  }
  const toEnd = facts.filter(({ id }) => remedy.end.includes(id));
  // Only a fact that was ended alone: a new text or a supersession in between is a change.
  if (toEnd.every((fact) => isEnded(fact, now.get(fact.id)))) return "in-effect";
  if (!areUnchanged(facts, now)) return "changed";
  if (remedy.action === "merge") await addTags(memory, userId, { keep: remedy.keep, facts });
  const kept = remedy.action === "supersede" ? facts.find(({ id }) => id === remedy.keep) : undefined;
  const at = remedy.action === "end" ? remedy.at : (kept?.validFrom ?? new Date());
  for (const { id, validFrom } of toEnd) {
    // A fact can't end before it begins.
    const validUntil = new Date(Math.max(at.getTime(), validFrom.getTime() + 1));
    await memory.update(userId, id, { validUntil });
  }
  return "applied";
}

const areUnchanged = (facts: readonly UserFact[], now: ReadonlyMap<string, UserFact | null>): boolean =>
  facts.every((fact) => {
    const current = now.get(fact.id);
    return current?.status === "active" && versionOf(current) === versionOf(fact);
  });

/** Whether a fact has got an end since the report and is otherwise the same. */
function isEnded(before: UserFact, now: UserFact | null | undefined): boolean {
  if (now?.validUntil === undefined || now.validUntil.getTime() > Date.now()) return false;
  const { fact, status } = before;
  return (
    now.fact === fact && now.status === status && now.validUntil.getTime() !== before.validUntil?.getTime()
  );
}

interface Merged {
  readonly keep: string;
  readonly facts: readonly UserFact[];
}

async function addTags(memory: Changeable, userId: string, { keep, facts }: Merged): Promise<void> {
  const own = facts.find(({ id }) => id === keep)?.tags ?? [];
  const tags = [...new Set([...own, ...facts.flatMap((fact) => fact.tags ?? [])])];
  if (tags.length > own.length) await memory.update(userId, keep, { tags });
}
