import type { ApprovalDecision } from "@jaf/memory";
import { parseApprovalDecision, present } from "@jaf/memory/internal";
import type { ContinuationRejected } from "../errors.ts";
import type { ClientToolResult, GivenDecisions, OpenCalls } from "../interruption.ts";
import { innerCallId } from "./nested-ids.ts";

/** The checked decisions about tool calls that wait. */
export interface Decisions {
  /** The bindings of the approved calls. A binding is a digest of a call and its arguments; see `bindingOf`. */
  readonly approved: ReadonlySet<string>;
  /** The reasons of the user, by the id of the rejected call. `undefined`: the user gave no reason. */
  readonly rejected: ReadonlyMap<string, string | undefined>;
  /** The results of calls that the client has run, by call id. */
  readonly results: ReadonlyMap<string, ClientToolResult["result"]>;
  /** What was given for the inner runs of agent tools (see `asTool`), by the id of the outer call. */
  readonly inner: ReadonlyMap<string, GivenDecisions>;
}

export const approvedBefore = (approved: readonly string[]): Decisions => ({
  approved: new Set(approved),
  rejected: new Map(),
  results: new Map(),
  inner: new Map(),
});

/** No decisions, for the calls of a new reply. */
export const nothingDecided: Decisions = approvedBefore([]);

export type CheckedDecisions =
  | { readonly ok: true; readonly decisions: Decisions }
  | { readonly ok: false; readonly error: ContinuationRejected };

export const nothingOpen: OpenCalls = {
  waiting: [],
  approved: [],
  bindings: new Map(),
  approvalIdPrefix: () => undefined,
  inner: new Map(),
};

/** `index`: the index of the rejected message or decision in its list, if one is to blame. */
export const rejected = (
  code: ContinuationRejected["code"],
  reason: string,
  index?: number,
): ContinuationRejected => ({ _tag: "ContinuationRejected", code, reason, ...present({ index }) });

/**
 * Returns a refusal if the arguments of a call have changed since its approval was requested, and a decision is about
 * this call. Otherwise returns `undefined`.
 */
export const changedArguments = (
  { approvals }: GivenDecisions,
  open: OpenCalls,
): ContinuationRejected | undefined =>
  changedIn(indexed({ approvals: Array.isArray(approvals) ? approvals : [], toolResults: [] }), open);

/** What was given, with the index that each decision has in the caller's list. */
interface Given {
  readonly approvals: readonly { readonly index: number; readonly decision: unknown }[];
  readonly toolResults: readonly ClientToolResult[];
}

const indexed = ({ approvals, toolResults }: GivenDecisions): Given => ({
  approvals: [...approvals].map((decision, index) => ({ index, decision })),
  toolResults: [...toolResults],
});

interface Divided {
  /** What was given for the calls of the reply itself. */
  readonly own: Given;
  readonly inner: readonly { readonly callId: string; readonly open: OpenCalls; readonly given: Given }[];
}

/** Divides what was given between the calls of a reply and the inner runs of its agent tools. */
function divide({ approvals, toolResults }: Given, open: OpenCalls): Divided {
  const decided = approvals.map((each) => {
    const decision = parseApprovalDecision(each.decision);
    return { each, decision, outer: decision && outerCallOf(decision, open) };
  });
  const results = toolResults.map((given) => ({ given, outer: outerCallOf(given, open) }));
  return {
    own: {
      approvals: decided.flatMap(({ each, outer }) => (outer === undefined ? [each] : [])),
      toolResults: results.flatMap(({ given, outer }) => (outer === undefined ? [given] : [])),
    },
    inner: [...open.inner].map(([callId, inner]) => ({
      callId,
      open: inner,
      given: {
        approvals: decided.flatMap(({ each: { index }, decision, outer }) => {
          const toolCallId = decision && innerCallId(callId, decision.toolCallId);
          return outer !== callId || toolCallId === undefined
            ? []
            : [{ index, decision: { ...decision, toolCallId } }];
        }),
        toolResults: results.flatMap(({ given, outer }) => {
          const toolCallId = innerCallId(callId, given.toolCallId);
          return outer !== callId || toolCallId === undefined ? [] : [{ ...given, toolCallId }];
        }),
      },
    })),
  };
}

type About = Pick<ApprovalDecision, "toolCallId"> & Partial<Pick<ApprovalDecision, "approvalId">>;

/** Returns the call whose inner run was meant; `undefined` if a call of the reply itself was. */
function outerCallOf(about: About, open: OpenCalls): string | undefined {
  if (isOwn(about, open)) return undefined;
  const possible = [...open.inner].flatMap(([callId, inner]) => {
    const toolCallId = innerCallId(callId, about.toolCallId);
    return toolCallId === undefined ? [] : [{ callId, inner, nested: { ...about, toolCallId } }];
  });
  // A model can choose ids with the separator, so several inner runs are possible.
  return (possible.find(({ inner, nested }) => isKnown(nested, inner)) ?? possible[0])?.callId;
}

const isOwn = ({ toolCallId, approvalId }: About, open: OpenCalls): boolean => {
  const prefix = open.approvalIdPrefix(toolCallId);
  return prefix !== undefined && (approvalId === undefined || approvalId.startsWith(prefix));
};

const isKnown = (about: About, open: OpenCalls): boolean =>
  isOwn(about, open) ||
  [...open.inner].some(([callId, inner]) => {
    const toolCallId = innerCallId(callId, about.toolCallId);
    return toolCallId !== undefined && isKnown({ ...about, toolCallId }, inner);
  });

function changedIn(given: Given, open: OpenCalls): ContinuationRejected | undefined {
  const { own, inner } = divide(given, open);
  const changed = own.approvals.find(({ decision }) => {
    const parsed = parseApprovalDecision(decision);
    return parsed !== undefined && isOutdated(parsed, open);
  });
  if (changed !== undefined) {
    const [code, what] = isSameCall(changed.decision, open)
      ? (["changed-tool", "the tool or the agent of a call has changed since the call was shown"] as const)
      : (["changed-arguments", "the arguments of a call are no longer those that were shown"] as const);
    const reason = `${what}, so nothing was run; run again to ask for a new approval`;
    return rejected(code, reason, changed.index);
  }
  for (const each of inner) {
    const nested = changedIn(each.given, each.open);
    if (nested !== undefined) return nested;
  }
  return undefined;
}

function isOutdated({ toolCallId, approvalId }: ApprovalDecision, open: OpenCalls): boolean {
  const prefix = open.approvalIdPrefix(toolCallId);
  if (prefix === undefined || !approvalId.startsWith(prefix)) return false;
  return approvalId !== `${prefix}${open.bindings.get(toolCallId)}`;
}

/** Returns whether a call still waits with the arguments that were shown. */
function isSameCall(decision: unknown, { waiting }: OpenCalls): boolean {
  const id = parseApprovalDecision(decision)?.toolCallId;
  const call = waiting.find(({ toolCallId }) => toolCallId === id);
  return call?.type === "approval" && call.changed !== undefined && call.changed.arguments === undefined;
}

interface Checking {
  readonly open: OpenCalls;
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
}

/** Checks decisions against the calls that wait. If one decision matches no call, all decisions are refused. */
export function checkDecisions(given: GivenDecisions, checking: Checking): CheckedDecisions {
  const changed = changedArguments(given, checking.open);
  return changed === undefined ? checkGiven(indexed(given), checking) : { ok: false, error: changed };
}

function checkGiven(given: Given, { open, now }: Checking): CheckedDecisions {
  const { own, inner } = divide(given, open);
  const nested = new Map<string, GivenDecisions>();
  for (const each of inner) {
    const checked = checkGiven(each.given, { open: each.open, now });
    if (!checked.ok) return checked;
    const approvals = each.given.approvals.map(({ decision }) => decision as ApprovalDecision);
    nested.set(each.callId, { approvals, toolResults: each.given.toolResults });
  }
  const waiting = new Map(open.waiting.map((interruption) => [interruption.toolCallId, interruption]));
  const decisions = {
    approved: new Set(open.approved),
    rejected: new Map(),
    results: new Map(),
    inner: nested,
  };
  for (const { index, decision: unparsed } of own.approvals) {
    const decision = parseApprovalDecision(unparsed);
    if (decision === undefined)
      return refused(
        "malformed-approval",
        "an approval is not a decision; each has toolCallId, approvalId, approved and an optional reason",
        index,
      );
    const { toolCallId, approvalId, approved, reason } = decision;
    const binding = open.bindings.get(toolCallId) ?? "";
    if (decisions.approved.has(binding) || decisions.rejected.has(toolCallId))
      return refused("duplicate-approval", "a call was decided about before", index);
    const call = waiting.get(toolCallId);
    if (call?.type !== "approval" || call.approvalId !== approvalId)
      return refused(
        "forged-approval",
        "a decision doesn't match any call that waits for an approval",
        index,
      );
    if (call.expiresAt !== undefined && call.expiresAt.getTime() <= now)
      return refused(
        "expired-approval",
        "a decision came too late; run again to ask for a new approval",
        index,
      );
    if (approved) decisions.approved.add(binding);
    else decisions.rejected.set(toolCallId, reason);
  }
  for (const { toolCallId, result } of own.toolResults) {
    if (decisions.results.has(toolCallId))
      return refused("duplicate-tool-result", "a call was answered twice");
    if (waiting.get(toolCallId)?.type !== "client_tool")
      return refused("forged-tool-result", "a result doesn't match any call that waits for the client");
    decisions.results.set(toolCallId, result);
  }
  return { ok: true, decisions };
}

const refused = (...rejection: Parameters<typeof rejected>): CheckedDecisions => ({
  ok: false,
  error: rejected(...rejection),
});
