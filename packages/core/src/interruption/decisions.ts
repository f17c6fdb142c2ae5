import type { ApprovalDecision } from "@jaf/memory";
import type { ClientToolResult } from "./interruption.ts";

/** What somebody decided about waiting calls, as it came in. */
export interface GivenDecisions {
  readonly approvals: readonly ApprovalDecision[];
  readonly toolResults: readonly ClientToolResult[];
}

/** What was decided about waiting calls. */
export interface Decisions {
  /** The bindings of the calls that were approved: see `bindingOf`. */
  readonly approved: ReadonlySet<string>;
  /** By call id, with the reason, if one was given. */
  readonly rejected: ReadonlyMap<string, string | undefined>;
  /** By call id. */
  readonly results: ReadonlyMap<string, ClientToolResult["result"]>;
}

export const approvedBefore = (approved: readonly string[]): Decisions => ({
  approved: new Set(approved),
  rejected: new Map(),
  results: new Map(),
});

/** About calls of a reply that was just said. */
export const nothingDecided: Decisions = approvedBefore([]);

export const isUndecided = ({ approvals, toolResults }: GivenDecisions): boolean =>
  approvals.length === 0 && toolResults.length === 0;
