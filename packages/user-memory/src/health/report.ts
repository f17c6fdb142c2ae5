import { createHash } from "node:crypto";
import type { UserFact } from "../fact.ts";

/**
 * What is wrong with facts:
 * - `"duplicate"`: they state the same in other words, or one states all that the other does.
 * - `"contradiction"`: they can't both be true.
 * - `"stale"`: by its own words, the fact was true for a time that is over, e.g. `next week`.
 * - `"junk"`: the text states nothing about the user, e.g. `ok thanks`.
 * - `"unsupported"`: the conversation or the message that the fact comes from no longer exists.
 * - `"unused"`: the fact has been stored for long and was never used.
 */
export type FindingKind = "duplicate" | "contradiction" | "stale" | "junk" | "unsupported" | "unused";

/**
 * What to do about a finding. Facts are named by their ids. An ended fact stays stored but isn't recalled any more, and
 * `update` with `validUntil: null` takes the end back.
 */
export type Remedy =
  /** Keep one fact, give it the tags of the others, and end the others now. */
  | { readonly action: "merge"; readonly keep: string; readonly end: readonly string[] }
  /** Keep the newer fact, and end the others when it began to be true. */
  | { readonly action: "supersede"; readonly keep: string; readonly end: readonly string[] }
  /** End the facts at a time that is over. */
  | { readonly action: "end"; readonly end: readonly string[]; readonly at: Date }
  /** Delete the facts for good. */
  | { readonly action: "forget"; readonly forget: readonly string[] }
  /** Ask the user, because the facts alone don't tell what is right. */
  | { readonly action: "ask"; readonly question: string };

/** Something that is wrong with one or several facts of a user, and what to do about it. */
export interface MemoryFinding {
  /** The id of the finding. It changes if one of the facts changes. */
  readonly id: string;
  /** What is wrong. */
  readonly kind: FindingKind;
  /** The facts that the finding is about. A fact that the remedy keeps comes first, then the newest. */
  readonly facts: readonly UserFact[];
  /** The reason in plain words, for a person. It quotes no fact. */
  readonly reason: string;
  /** What to do about it. Nothing is done before `applyRemedies` is called with the finding. */
  readonly remedy: Remedy;
}

/**
 * The kind of a stored fact. A fact has only one kind: the first of this list that fits.
 * - `"quarantined"`: it waits for review. `"superseded"`: a newer fact replaced it.
 * - `"ended"`: it isn't true at the time of the report: its time is over or hasn't begun.
 * - `"quotation"`: it quotes the user.
 * - The others are the fact's trust.
 */
export type FactKind =
  | "quarantined"
  | "superseded"
  | "ended"
  | "quotation"
  | "stated"
  | "confirmed"
  | "inferred"
  | "external";

/** The health of a user's memory. */
export interface MemoryReport {
  /** The time that the report is about. */
  readonly asOf: Date;
  /** Number of facts that were stored at that time, with any status. */
  readonly stored: number;
  /** Number of facts that could be recalled at that time. */
  readonly inUse: number;
  /** Number of stored facts of each kind. The sum is `stored`. */
  readonly kinds: Readonly<Record<FactKind, number>>;
  /** What is wrong: contradictions first, then by kind; within a kind, the newest facts first. */
  readonly findings: readonly MemoryFinding[];
  /**
   * The share of facts in use, from 0 to 1, that the remedies of the findings would end or forget. 0 if no fact is in
   * use. Remedies that ask the user don't count.
   */
  readonly junkRate: number;
  /** The kinds that weren't looked for, because their options aren't set. */
  readonly notExamined: readonly FindingKind[];
}

/** Returns a text that differs if anything changes that a remedy relies on. */
export const versionOf = ({ id, fact, status, trust, key, tags, validUntil, updatedAt }: UserFact): string =>
  JSON.stringify([id, fact, status, trust, key, tags, validUntil, updatedAt]);

/** Adds the id to a finding. */
export function toFinding(finding: Omit<MemoryFinding, "id">): MemoryFinding {
  const hash = createHash("sha256").update(finding.kind);
  for (const version of finding.facts.map(versionOf).sort()) hash.update(version);
  return { id: hash.digest("base64url").slice(0, 22), ...finding };
}

/** Returns the ids of the facts that a remedy ends or forgets. */
export const removedBy = (remedy: Remedy): readonly string[] =>
  "end" in remedy ? remedy.end : remedy.action === "forget" ? remedy.forget : [];

/** Returns when a fact was said, in milliseconds since 1970. */
export const saidTimeOf = ({ provenance, updatedAt, createdAt }: UserFact): number =>
  (provenance.saidAt ?? updatedAt ?? createdAt).getTime();
