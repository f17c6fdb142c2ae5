import type { FactStatus, Provenance, Quotation, Trust } from "../fact.ts";
import type { MemoryEntry } from "../user-memory.ts";
import { type LineOptions, lineOf } from "./line.ts";

/** A fact of any store, with trust, status and source if the store has them. */
export interface RenderableFact extends MemoryEntry {
  /** Default: `"inferred"` with the tag `"inferred"`, else `"stated"`. */
  readonly trust?: Trust;
  /** Default `"active"`. */
  readonly status?: FactStatus;
  /** Present if `fact` is a quotation of the user. */
  readonly quotation?: Quotation;
  /** The source. `saidAt` is the date of a quotation. */
  readonly provenance?: Provenance;
}

/** The tag of inferred facts in a store without trust. */
export const INFERRED_TAG = "inferred";

/**
 * Returns the trust of a fact. In a store without trust, facts count as stated unless they have the tag `"inferred"`. An
 * unknown trust counts as `"external"`.
 */
function trustOf({ trust, tags = [] }: Pick<RenderableFact, "tags" | "trust">): Trust {
  if (trust === undefined || trust === null) return tags.includes(INFERRED_TAG) ? "inferred" : "stated";
  return Object.hasOwn(RANKS, trust) ? trust : "external";
}

/** Whether prompts can show a fact: not if it waits for review or has an unknown status. */
export const isRenderable = ({ status = "active" }: RenderableFact): boolean =>
  status === "active" || status === "superseded";

/** Whether the fact is superseded. */
export const isPast = ({ status }: Pick<RenderableFact, "status">): boolean => status === "superseded";

const LABELS: Readonly<Record<Trust, string>> = {
  stated: "",
  confirmed: "",
  inferred: "(inferred) ",
  external: "(from a tool or a page) ",
};

/**
 * Returns the mark of a fact that is superseded or not a statement of the user, otherwise `""`. Quotations need no mark for
 * trust.
 */
function trustLabelOf(fact: Pick<RenderableFact, "tags" | "trust" | "status" | "quotation">): string {
  if (fact.quotation !== undefined) return isPast(fact) ? "(earlier) " : "";
  return `${isPast(fact) ? "(no longer) " : ""}${LABELS[trustOf(fact)]}`;
}

const RANKS: Readonly<Record<Trust, number>> = { stated: 0, confirmed: 0, inferred: 1, external: 2 };

/** Returns 0 for stated and confirmed facts, 1 for inferred, 2 for external. */
export const rankOf = (fact: RenderableFact): number => RANKS[trustOf(fact)];

/** Compares facts for the order in a text, which doesn't depend on the order of the recall. */
export const byTrustAndTime = (a: RenderableFact, b: RenderableFact): number =>
  Number(isPast(a)) - Number(isPast(b)) ||
  rankOf(a) - rankOf(b) ||
  timeOf(a) - timeOf(b) ||
  compareText(a.id, b.id) ||
  compareText(a.fact, b.fact);

/** Compares facts by priority: over budget, the last ones are dropped first. */
export const byPriority = (a: RenderableFact, b: RenderableFact): number =>
  Number(isPast(a)) - Number(isPast(b)) || rankOf(a) - rankOf(b) || (b.score ?? 1) - (a.score ?? 1);

/** Returns the time of the statement, or of its storage. */
function timeOf({ createdAt, provenance }: RenderableFact): number {
  const time = new Date(provenance?.saidAt ?? createdAt).getTime();
  return Number.isNaN(time) ? 0 : time;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Quotation marks, which would end a quotation early. */
const QUOTATION_MARK = /["“”„‟«»＂〝〞❝❞]/gu;

type Statable = Pick<RenderableFact, "fact" | "tags" | "trust" | "status" | "quotation" | "provenance">;

/**
 * Formats a fact as one line with its mark, or `""` if nothing is left of it. A quotation has its date:
 * `The user said on 2026-11-02: "…"`. Double quotation marks in it become single ones, so they can't end it.
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

/** In UTC, since the user's time zone is unknown. */
function dateOf(saidAt: Date | undefined): string {
  const time = saidAt === undefined ? Number.NaN : new Date(saidAt).getTime();
  return Number.isNaN(time) ? "" : ` on ${new Date(time).toISOString().slice(0, 10)}`;
}
