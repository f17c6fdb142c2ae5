import { type ApprovalDecision, type PendingApproval, parseApprovalDecision } from "./approval.ts";
import { type ContinuationRejection, reject } from "./validation-result.ts";

export interface DecisionRules {
  readonly strict: boolean;
  /** Whether the call still waits once the request's own results are in. */
  readonly isPending: (toolCallId: string) => boolean;
  readonly pendingApprovals: readonly PendingApproval[] | undefined;
}

export type Decisions =
  | { readonly ok: true; readonly approvals: readonly ApprovalDecision[] }
  | ContinuationRejection;

/** Checks and copies a client's decisions; absent is none. */
export function readDecisions(decisions: unknown, rules: DecisionRules): Decisions {
  if (decisions === undefined || decisions === null) return { ok: true, approvals: Object.freeze([]) };
  if (!Array.isArray(decisions)) return reject("malformed-approval");
  const isExpected = expectation(rules.pendingApprovals);
  const approvals = new Map<string, ApprovalDecision>();
  for (let index = 0; index < decisions.length; index++) {
    const decision = parseApprovalDecision(decisions[index]);
    if (decision === undefined) return reject("malformed-approval", index);
    const { toolCallId } = decision;
    if (!rules.isPending(toolCallId) || !isExpected(decision)) return reject("forged-approval", index);
    if (!approvals.has(toolCallId)) approvals.set(toolCallId, decision);
    else if (rules.strict) return reject("duplicate-approval", index);
  }
  return { ok: true, approvals: Object.freeze([...approvals.values()]) };
}

function expectation(
  pendingApprovals: readonly PendingApproval[] | undefined,
): (decision: PendingApproval) => boolean {
  if (pendingApprovals === undefined) return () => true;
  const keyOf = ({ toolCallId, approvalId }: PendingApproval) => JSON.stringify([toolCallId, approvalId]);
  const expected = new Set(pendingApprovals.map(keyOf));
  return (decision) => expected.has(keyOf(decision));
}
