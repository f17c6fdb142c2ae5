import type { ApprovalDecision } from "@jaf/memory";
import { parseApprovalDecision } from "@jaf/memory/internal";
import type { ContinuationRejected } from "../errors.ts";
import type { ClientToolResult, GivenDecisions, Interruption } from "../interruption.ts";

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

export type CheckedDecisions =
  | { readonly ok: true; readonly decisions: Decisions }
  | { readonly ok: false; readonly error: ContinuationRejected };

/** What calls of a reply wait for now. */
export interface OpenCalls {
  readonly waiting: readonly Interruption[];
  /** The bindings of calls that were approved before. */
  readonly approved: readonly string[];
  /** By call id, of the calls that an approval can be bound to, with the arguments that they have now. */
  readonly bindings: ReadonlyMap<string, string>;
  /** What a call's approval ids begin with, whatever its arguments are; `undefined` where there is no such call. */
  readonly approvalIdPrefix: (toolCallId: string) => string | undefined;
}

export const nothingOpen: OpenCalls = {
  waiting: [],
  approved: [],
  bindings: new Map(),
  approvalIdPrefix: () => undefined,
};

export const rejected = (code: ContinuationRejected["code"], reason: string): ContinuationRejected => ({
  _tag: "ContinuationRejected",
  code,
  reason,
});

/** The refusal of decisions about calls whose arguments were others when they were asked for; `undefined`: none is. */
export function changedArguments(
  { approvals }: GivenDecisions,
  open: OpenCalls,
): ContinuationRejected | undefined {
  const decisions: readonly unknown[] = Array.isArray(approvals) ? approvals : [];
  if (!decisions.map(parseApprovalDecision).some((decision) => decision && isOutdated(decision, open))) {
    return undefined;
  }
  return rejected(
    "changed-arguments",
    "the arguments of a call are no longer those that were shown, so nothing was run; run again to ask anew",
  );
}

function isOutdated({ toolCallId, approvalId }: ApprovalDecision, open: OpenCalls): boolean {
  const prefix = open.approvalIdPrefix(toolCallId);
  if (prefix === undefined || !approvalId.startsWith(prefix)) return false;
  return approvalId !== `${prefix}${open.bindings.get(toolCallId)}`;
}

/**
 * Checks decisions against the calls that wait for them. One that doesn't fit refuses all: whoever sent it has another state of the
 * conversation, or is an attacker. `now`: milliseconds since 1970.
 */
export function checkDecisions(
  { approvals, toolResults }: GivenDecisions,
  { open, now }: { readonly open: OpenCalls; readonly now: number },
): CheckedDecisions {
  const changed = changedArguments({ approvals, toolResults }, open);
  if (changed !== undefined) return { ok: false, error: changed };
  const waiting = new Map(open.waiting.map((interruption) => [interruption.toolCallId, interruption]));
  const decisions = { approved: new Set(open.approved), rejected: new Map(), results: new Map() };
  for (const given of approvals) {
    const decision = parseApprovalDecision(given);
    if (decision === undefined)
      return refused(
        "malformed-approval",
        "an approval is no decision; each has toolCallId, approvalId, approved and maybe reason",
      );
    const { toolCallId, approvalId, approved, reason } = decision;
    const binding = open.bindings.get(toolCallId) ?? "";
    if (decisions.approved.has(binding) || decisions.rejected.has(toolCallId))
      return refused("duplicate-approval", "a call was decided about before");
    const call = waiting.get(toolCallId);
    if (call?.type !== "approval" || call.approvalId !== approvalId)
      return refused("forged-approval", "a decision is about no call that waits for an approval");
    if (call.expiresAt !== undefined && call.expiresAt.getTime() <= now)
      return refused("expired-approval", "a decision came too late; run again to ask anew");
    if (approved) decisions.approved.add(binding);
    else decisions.rejected.set(toolCallId, reason);
  }
  for (const { toolCallId, result } of toolResults) {
    if (decisions.results.has(toolCallId))
      return refused("duplicate-tool-result", "a call was answered twice");
    if (waiting.get(toolCallId)?.type !== "client_tool")
      return refused("forged-tool-result", "a result is of no call that waits for the client");
    decisions.results.set(toolCallId, result);
  }
  return { ok: true, decisions };
}

const refused = (code: ContinuationRejected["code"], reason: string): CheckedDecisions => ({
  ok: false,
  error: rejected(code, reason),
});
