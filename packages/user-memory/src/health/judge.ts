import { UserMemoryError } from "../errors.ts";
import type { UserFact } from "../fact.ts";
import { type Postings, postingsOf, weightOf } from "./duplicates.ts";
import { type MemoryFinding, saidTimeOf, toFinding } from "./report.ts";
import type { Statement } from "./statement.ts";

/** Two facts that a judge compares. */
export interface JudgedPair {
  readonly older: UserFact;
  readonly newer: UserFact;
}

/**
 * Decides which pairs of facts contradict each other, e.g. by asking a model. Returns a list of the same length: for
 * each pair, whether both facts can't be true at the same time. A judge decides nothing but this: what it says is
 * proposed and not done.
 */
export type JudgeContradictions = (
  pairs: readonly JudgedPair[],
) => readonly boolean[] | Promise<readonly boolean[]>;

/** A judge gets at most so many pairs, and those that share the most first. */
const MAX_PAIRS = 200;
const MAX_PER_FACT = 20;
const MAX_SHARING = 200;

/** Asks a judge about pairs of statements that share a word. The statements must be newest first. */
export async function judgeContradictions(
  statements: readonly Statement[],
  judge: JudgeContradictions,
): Promise<readonly MemoryFinding[]> {
  const pairs = pairsOf(statements);
  if (pairs.length === 0) return [];
  const verdicts = await judge(pairs);
  if (!Array.isArray(verdicts) || verdicts.length !== pairs.length) {
    throw new UserMemoryError({
      code: "invalid",
      operation: "examineUserMemory",
      message: "Invalid result of judge: expected a list with a boolean for each pair.",
      retryable: false,
    });
  }
  return pairs.filter((_, index) => verdicts[index] === true).map(findingOf);
}

function pairsOf(statements: readonly Statement[]): readonly JudgedPair[] {
  const postings = postingsOf(statements);
  const place = new Map(statements.map((statement, index) => [statement, index]));
  const weighed = statements.flatMap((newer, index) =>
    [...sharing(newer, postings)]
      .filter((older) => (place.get(older) ?? 0) > index)
      .map((older) => ({ pair: { newer: newer.fact, older: older.fact }, weight: likeness(newer, older) }))
      .toSorted((a, b) => b.weight - a.weight)
      .slice(0, MAX_PER_FACT),
  );
  return weighed
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MAX_PAIRS)
    .map(({ pair }) => pair);
}

/** Returns at most `MAX_SHARING` statements that share a term with a statement, first those that share a rare one. */
function sharing({ terms }: Statement, postings: Postings): ReadonlySet<Statement> {
  const lists = [...terms].map((term) => postings.get(term) ?? []).toSorted((a, b) => a.length - b.length);
  const found = new Set<Statement>();
  for (const list of lists) {
    for (const statement of list) {
      if (found.size >= MAX_SHARING) return found;
      found.add(statement);
    }
  }
  return found;
}

/** The share of their terms that two statements have in common, from 0 to 1. */
function likeness(a: Statement, b: Statement): number {
  const common = [...a.terms].filter((term) => b.terms.has(term)).length;
  return common / (a.terms.size + b.terms.size - common);
}

function findingOf({ older, newer }: JudgedPair): MemoryFinding {
  const isNewer = weightOf(older) <= weightOf(newer) && saidTimeOf(older) < saidTimeOf(newer);
  return toFinding({
    kind: "contradiction",
    facts: [newer, older],
    reason: "The judge says that these facts can't be true at the same time.",
    remedy: isNewer
      ? { action: "supersede", keep: newer.id, end: [older.id] }
      : { action: "ask", question: "Which of these is true now?" },
  });
}
