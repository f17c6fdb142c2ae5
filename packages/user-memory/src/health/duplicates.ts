import type { UserFact } from "../fact.ts";
import { type MemoryFinding, toFinding } from "./report.ts";
import { agree, type Statement } from "./statement.ts";

/** A statement is only compared with this many others that share its rarest term, so that the time stays linear. */
const MAX_COMPARED = 500;
/** A statement with fewer terms isn't looked for within longer ones: too many contain it. */
const MIN_CONTAINED = 3;
const MAX_MORE = 2;

/** Words whose presence changes what a statement is about, as stems. */
const CHANGING = new Set(
  `mother father parent brother sister sibling son daughter child wife husband partner spouse friend boss manag colleagu
  neighbour neighbor uncl aunt cousin niec nephew grandmoth grandfath grandmother grandfather dog cat
  former ex want wish hope plan tri almost mayb perhap probabl sometim rare seldom most onli except instead
  monday tuesday wednesday thursday friday saturday sunday
  januari februari march april june juli august septemb octob novemb decemb`.split(/\s+/),
);

/** The facts that state the same, and the facts that only repeat others. */
export interface Duplicates {
  readonly findings: readonly MemoryFinding[];
  readonly surplus: ReadonlySet<string>;
}

/** How much a fact can be relied on: 2 for the user's word, 1 for a quotation, 0 for what a model or a page worded. */
export const weightOf = ({ trust, quotation }: UserFact): number =>
  trust === "stated" || trust === "confirmed" ? 2 : quotation === undefined ? 0 : 1;

/** Finds statements whose terms are the same, or all within another one. The statements must be newest first. */
export function findDuplicates(statements: readonly Statement[]): Duplicates {
  const postings = postingsOf(statements);
  const sorted = statements
    .filter(({ terms }) => terms.size > 0)
    .toSorted((a, b) => b.terms.size - a.terms.size || weightOf(b.fact) - weightOf(a.fact));
  const place = new Map(sorted.map((statement, index) => [statement, index]));
  const groups = new Map<Statement, Statement[]>();
  const surplus = new Set<Statement>();
  for (const [index, statement] of sorted.entries()) {
    const keeper = rarest(statement, postings).find(
      (other) => (place.get(other) ?? index) < index && !surplus.has(other) && covers(other, statement),
    );
    if (keeper === undefined) continue;
    surplus.add(statement);
    groups.set(keeper, [...(groups.get(keeper) ?? []), statement]);
  }
  return {
    findings: [...groups].map(([keeper, others]) => findingOf(keeper, others)),
    surplus: new Set([...surplus].map(({ fact }) => fact.id)),
  };
}

export type Postings = ReadonlyMap<string, readonly Statement[]>;

export function postingsOf(statements: readonly Statement[]): Postings {
  const postings = new Map<string, Statement[]>();
  for (const statement of statements) {
    for (const term of statement.terms) {
      const list = postings.get(term);
      if (list === undefined) postings.set(term, [statement]);
      else list.push(statement);
    }
  }
  return postings;
}

/** Returns the statements that share the rarest term of a statement. */
function rarest({ terms }: Statement, postings: Postings): readonly Statement[] {
  const lists = [...terms].map((term) => postings.get(term) ?? []);
  const shortest = lists.reduce((a, b) => (b.length < a.length ? b : a), lists[0] ?? []);
  return shortest.slice(0, MAX_COMPARED);
}

function covers(larger: Statement, smaller: Statement): boolean {
  const more = larger.terms.size - smaller.terms.size;
  if (more > MAX_MORE || (more > 0 && smaller.terms.size < MIN_CONTAINED)) return false;
  if (larger.negations !== smaller.negations) return false;
  for (const term of smaller.terms) if (!larger.terms.has(term)) return false;
  for (const term of larger.terms) if (!smaller.terms.has(term) && changes(term)) return false;
  const { key } = smaller.fact;
  if (key !== undefined && larger.fact.key !== undefined && key !== larger.fact.key) return false;
  return agree(larger, smaller);
}

const changes = (term: string): boolean => CHANGING.has(term) || /\d/.test(term);

function findingOf({ fact: kept, terms }: Statement, others: readonly Statement[]): MemoryFinding {
  const repeated = others.map(({ fact }) => fact);
  // A merge would end a fact that is trusted more, is ended elsewhere, or supersedes by its key.
  const loses = repeated.some(
    (fact) =>
      weightOf(fact) > weightOf(kept) ||
      (fact.key !== undefined && kept.key === undefined) ||
      (fact.validUntil?.getTime() ?? 0) !== (kept.validUntil?.getTime() ?? 0),
  );
  const isEqual = others.every((other) => other.terms.size === terms.size);
  return toFinding({
    kind: "duplicate",
    facts: [kept, ...repeated],
    reason: isEqual
      ? "These facts state the same in other words."
      : "The first of these facts states all that the others do.",
    remedy: loses
      ? { action: "ask", question: "Which of these should I keep?" }
      : { action: "merge", keep: kept.id, end: repeated.map(({ id }) => id) },
  });
}
