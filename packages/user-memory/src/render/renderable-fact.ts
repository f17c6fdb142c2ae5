import type { FactStatus, Provenance, Quotation, Trust } from "../fact.ts";
import type { MemoryEntry } from "../user-memory.ts";
import { type LineOptions, lineOf } from "./line.ts";

/** A fact of any user memory. Trust, status and source are absent if the user memory doesn't store them. */
export interface RenderableFact extends MemoryEntry {
  /** Where the fact comes from. Default: `"inferred"` if the fact has the tag `"inferred"`, otherwise `"stated"`. */
  readonly trust?: Trust;
  /** Whether the fact is active, superseded or quarantined. Default `"active"`. */
  readonly status?: FactStatus;
  /** Present if `fact` is a quotation of the user. */
  readonly quotation?: Quotation;
  /** The source of the fact. For a quotation, `saidAt` of the source is shown as the date. */
  readonly provenance?: Provenance;
}

/** The tag of inferred facts in a user memory that doesn't store trust. */
export const INFERRED_TAG = "inferred";

/**
 * Returns the trust of a fact. Without a trust, the tag `"inferred"` decides. An unknown trust counts as `"external"`.
 */
function trustOf({ trust, tags = [] }: Pick<RenderableFact, "tags" | "trust">): Trust {
  if (trust === undefined || trust === null) return tags.includes(INFERRED_TAG) ? "inferred" : "stated";
  return Object.hasOwn(RANKS, trust) ? trust : "external";
}

/** Whether prompts can show a fact. A fact that waits for review or has an unknown status isn't shown. */
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
 * Returns the label of a fact in a prompt, e.g. `(inferred) `. Returns `""` for an active fact that the user stated or
 * confirmed.
 */
function trustLabelOf(fact: Pick<RenderableFact, "tags" | "trust" | "status" | "quotation">): string {
  // A quotation only has a label if it is superseded.
  if (fact.quotation !== undefined) return isPast(fact) ? "(earlier) " : "";
  return `${isPast(fact) ? "(no longer) " : ""}${LABELS[trustOf(fact)]}`;
}

const RANKS: Readonly<Record<Trust, number>> = { stated: 0, confirmed: 0, inferred: 1, external: 2 };

/** Returns the rank of a fact's trust: 0 for stated and confirmed facts, 1 for inferred facts, 2 for external facts. */
export const rankOf = (fact: RenderableFact): number => RANKS[trustOf(fact)];

/**
 * Compares two facts for their order in a prompt: current before superseded facts, then by trust, then oldest first.
 */
export const byTrustAndTime = (a: RenderableFact, b: RenderableFact): number =>
  Number(isPast(a)) - Number(isPast(b)) ||
  rankOf(a) - rankOf(b) ||
  timeOf(a) - timeOf(b) ||
  compareText(a.id, b.id) ||
  compareText(a.fact, b.fact);

/** Compares two facts by priority: current before superseded facts, then by trust, then by score. */
export const byPriority = (a: RenderableFact, b: RenderableFact): number =>
  Number(isPast(a)) - Number(isPast(b)) || rankOf(a) - rankOf(b) || (b.score ?? 1) - (a.score ?? 1);

/**
 * Returns the time when a fact was said, or else stored, in milliseconds since 1970. Returns 0 if the time is invalid.
 */
function timeOf({ createdAt, provenance }: RenderableFact): number {
  const time = new Date(provenance?.saidAt ?? createdAt).getTime();
  return Number.isNaN(time) ? 0 : time;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Matches double quotation marks. */
// Within a quotation, such a mark would seem to end the quotation.
const QUOTATION_MARK = /["“”„‟«»＂〝〞❝❞]/gu;

type Statable = Pick<RenderableFact, "fact" | "tags" | "trust" | "status" | "quotation" | "provenance">;

/**
 * Formats a fact as one line with its label and, for a quotation, its date. Returns `""` if nothing is left of the
 * fact.
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

/** Replaces double quotation marks, for a text within a quotation. */
export const quotable = (line: string): string => line.replaceAll(QUOTATION_MARK, "'");

/** Returns a time as a UTC date for a prompt, e.g. ` on 2026-11-02`. Returns `""` if the time is missing. */
function dateOf(saidAt: Date | undefined): string {
  // In UTC, because the user's time zone is unknown.
  const time = saidAt === undefined ? Number.NaN : new Date(saidAt).getTime();
  return Number.isNaN(time) ? "" : ` on ${new Date(time).toISOString().slice(0, 10)}`;
}
