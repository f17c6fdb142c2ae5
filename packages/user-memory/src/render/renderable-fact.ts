import type { FactStatus, Provenance, Quotation, Trust } from "../fact.ts";
import type { MemoryEntry } from "../user-memory.ts";
import { type LineOptions, lineOf } from "./line.ts";

/** A fact as every store returns it, with whose word it is where the store knows. */
export interface RenderableFact extends MemoryEntry {
  readonly trust?: Trust;
  readonly status?: FactStatus;
  readonly quotation?: Quotation;
  readonly provenance?: Provenance;
}

/** The tag that an inferred fact carries in a store that keeps no trust. */
export const INFERRED_TAG = "inferred";

/**
 * Whose word a fact is. A store that keeps no trust vouches for what it returns, but for what is tagged `"inferred"`; a trust
 * that nobody knows is the least.
 */
function trustOf({ trust, tags = [] }: Pick<RenderableFact, "tags" | "trust">): Trust {
  if (trust === undefined || trust === null) return tags.includes(INFERRED_TAG) ? "inferred" : "stated";
  return Object.hasOwn(RANKS, trust) ? trust : "external";
}

/** Whether anybody is shown it at all: not what waits for review, nor what is in a state that nobody knows. */
export const isRenderable = ({ status = "active" }: RenderableFact): boolean =>
  status === "active" || status === "superseded";

/** Whether another fact took its place. */
export const isPast = ({ status }: Pick<RenderableFact, "status">): boolean => status === "superseded";

const LABELS: Readonly<Record<Trust, string>> = {
  stated: "",
  confirmed: "",
  inferred: "(inferred) ",
  external: "(from a tool or a page) ",
};

/** What stands before a fact that isn't the user's word, or no longer holds; else `""`. A quotation says itself whose it is. */
function trustLabelOf(fact: Pick<RenderableFact, "tags" | "trust" | "status" | "quotation">): string {
  if (fact.quotation !== undefined) return isPast(fact) ? "(earlier) " : "";
  return `${isPast(fact) ? "(no longer) " : ""}${LABELS[trustOf(fact)]}`;
}

const RANKS: Readonly<Record<Trust, number>> = { stated: 0, confirmed: 0, inferred: 1, external: 2 };

/** From 0, the user's own word, stated or confirmed, downwards. */
export const rankOf = (fact: RenderableFact): number => RANKS[trustOf(fact)];

/** Compares facts so that the same ones always stand in the same order, however they were found. */
export const byTrustAndTime = (a: RenderableFact, b: RenderableFact): number =>
  Number(isPast(a)) - Number(isPast(b)) ||
  rankOf(a) - rankOf(b) ||
  timeOf(a) - timeOf(b) ||
  compareText(a.id, b.id) ||
  compareText(a.fact, b.fact);

/** Compares facts so that those come first that are to stay longest. */
export const byPriority = (a: RenderableFact, b: RenderableFact): number =>
  Number(isPast(a)) - Number(isPast(b)) || rankOf(a) - rankOf(b) || (b.score ?? 1) - (a.score ?? 1);

/** When it was said, or else when it was remembered: what was said last stands last. */
function timeOf({ createdAt, provenance }: RenderableFact): number {
  const time = new Date(provenance?.saidAt ?? createdAt).getTime();
  return Number.isNaN(time) ? 0 : time;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** What would end a quotation before its end. */
const QUOTATION_MARK = /["“”„‟«»＂〝〞❝❞]/gu;

type Statable = Pick<RenderableFact, "fact" | "tags" | "trust" | "status" | "quotation" | "provenance">;

/**
 * A fact in one line, with whose word it is; `""` where nothing is left of it. A quotation is what the user said, and when:
 * `The user said on 2026-11-02: "…"`. Double quotation marks in it become single ones, so that none ends it.
 */
export function statementOf(fact: Statable, options: LineOptions): string {
  const line = lineOf(fact.fact, options);
  if (line === "") return "";
  if (fact.quotation === undefined) return `${trustLabelOf(fact)}${line}`;
  const { from, question } = fact.quotation;
  const date = dateOf(fact.provenance?.saidAt);
  const words = `"${quotable(line)}"`;
  const asked = question === undefined ? "" : quotable(lineOf(question, options));
  const source =
    asked !== ""
      ? `Asked "${asked}", the user said${date}`
      : from === "text"
        ? `In a text that the user sent${date}`
        : `The user said${date}`;
  return `${trustLabelOf(fact)}${source}: ${words}`;
}

const quotable = (line: string): string => line.replaceAll(QUOTATION_MARK, "'");

/** In UTC: whoever reads it knows no time zone of the user's. */
function dateOf(saidAt: Date | undefined): string {
  const time = saidAt === undefined ? Number.NaN : new Date(saidAt).getTime();
  return Number.isNaN(time) ? "" : ` on ${new Date(time).toISOString().slice(0, 10)}`;
}
