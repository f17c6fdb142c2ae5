import type { Message } from "../../contract/message.ts";
import { pendingToolCalls } from "../messages/tool-calls.ts";
import { readAddedMessages } from "./added-messages.ts";
import { type Alignment, alignHistory } from "./alignment.ts";
import { type ApprovalDecision, type PendingApproval, parseApprovalDecision } from "./approval.ts";
import {
  type ContinuationOptions,
  type ParsedContinuationOptions,
  parseContinuationOptions,
  parseMode,
} from "./continuation-options.ts";
import {
  type ContinuationAcceptance,
  type ContinuationRejection,
  type ContinuationRejectionCode,
  type ContinuationValidationResult,
  reject,
} from "./validation-result.ts";

/** Thrown if a continuation is refused. Contains nothing of the messages, no id and no name. */
export class ContinuationValidationError extends Error {
  override readonly name = "ContinuationValidationError";
  readonly code: ContinuationRejectionCode;
  /** See {@link ContinuationRejection}. */
  readonly index: number | undefined;

  constructor({ code, reason, index }: ContinuationRejection) {
    super(`Continuation refused (${code}): ${reason}.`);
    this.code = code;
    this.index = index;
  }
}

/**
 * Checks whether a client's messages continue a stored history. Returns what they add to it, or why they are refused.
 *
 * `persisted` is the history as the store has it. `incoming` is whatever the client sent: its copy of the history, as it is
 * stored or as a run returned it, followed by new messages. The copy is compared and never used. See {@link
 * ContinuationOptions.mode} for what may follow it, and {@link ContinuationRejectionCode} for the codes. In place of the
 * copy the client may send a token: {@link ContinuationOptions.historyToken}.
 *
 * Never throws because of what the client sent. Linear in the number of messages. Throws a `TypeError` that names a bad
 * option.
 */
export function validateContinuation(
  persisted: readonly Message[],
  incoming: unknown,
  options: ContinuationOptions = {},
): ContinuationValidationResult {
  const parsed = parseContinuationOptions(options);
  try {
    return validate(persisted, incoming, parsed);
  } catch {
    return reject("malformed-message"); // A getter or a proxy threw. What it threw may quote content.
  }
}

/**
 * Like {@link validateContinuation}, for code that continues only if nothing is wrong. Throws {@link
 * ContinuationValidationError}.
 */
export function assertValidContinuation(
  persisted: readonly Message[],
  incoming: unknown,
  options: ContinuationOptions = {},
): ContinuationAcceptance {
  const result = validateContinuation(persisted, incoming, options);
  if (!result.ok) throw new ContinuationValidationError(result);
  return result;
}

function validate(
  persisted: readonly Message[],
  incoming: unknown,
  options: ParsedContinuationOptions,
): ContinuationValidationResult {
  if (!Array.isArray(incoming)) return reject("malformed-message");
  const messages: readonly unknown[] = incoming;
  const strict = options.mode === "strict";
  const aligned = align(persisted, messages, options);
  const endsEarly = !aligned.ok && aligned.code === "truncated-history" && aligned.index === messages.length;
  if (!aligned.ok && (strict || !endsEarly)) return strict ? aligned : withoutStrictCodes(aligned);
  const pending = new Set(pendingToolCalls(persisted)?.missing.map(({ id }) => id));
  const answerable = options.clientToolCallIds === undefined ? pending : new Set(options.clientToolCallIds);
  const read = readAddedMessages(messages, aligned.ok ? aligned.end : messages.length, {
    strict,
    persisted,
    pending,
    answerable,
  });
  if (!read.ok) return read;
  const decided = readDecisions(options.approvals, {
    strict,
    isPending: (id) => pending.has(id) && !read.results.has(id),
    pendingApprovals: options.pendingApprovals,
  });
  if (!decided.ok) return decided;
  const toolResults = Object.freeze([...read.results.values()]);
  return { ok: true, toolResults, added: read.added, approvals: decided.approvals };
}

function align(
  persisted: readonly Message[],
  messages: readonly unknown[],
  options: ParsedContinuationOptions,
): Alignment {
  const { historyToken: tokens } = options;
  if (tokens === undefined) return alignHistory(persisted, messages, options);
  const { sent, expected } = tokens;
  return expected !== undefined && sent === expected ? { ok: true, end: 0 } : reject("stale-token");
}

/** Compatible mode has one code where strict mode has two. */
const withoutStrictCodes = (rejection: ContinuationRejection): ContinuationRejection =>
  rejection.code === "truncated-history" ? reject("not-a-prefix", rejection.index) : rejection;

interface DecisionRules {
  readonly strict: boolean;
  /** Whether the call still waits once the request's own results are in. */
  readonly isPending: (toolCallId: string) => boolean;
  readonly pendingApprovals: readonly PendingApproval[] | undefined;
}

type Decisions =
  | { readonly ok: true; readonly approvals: readonly ApprovalDecision[] }
  | ContinuationRejection;

/** Checks and copies a client's decisions; absent is none. */
function readDecisions(decisions: unknown, rules: DecisionRules): Decisions {
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

/** The input of a {@link ContinuationValidator}: what a client sent, and what the store has. */
export interface Continuation
  extends Pick<
    ContinuationOptions,
    "pendingApprovals" | "clientToolCallIds" | "dropped" | "mayBeginLater" | "historyToken"
  > {
  /** The history as the store has it. */
  readonly persisted: readonly Message[];
  /**
   * What the client sent, including its copy of the history unless it sent a token (`historyToken`).
   * Unchecked, whatever its type says.
   */
  readonly incoming: readonly Message[];
  /** The client's decisions, unchecked as well. */
  readonly approvals?: readonly ApprovalDecision[] | undefined;
  /** Absent before a new conversation is created. */
  readonly conversationId?: string | undefined;
}

/** Accepts a continuation by returning, and refuses it by throwing. */
export type ContinuationValidator = (continuation: Continuation) => void | Promise<void>;

/**
 * The default validator: {@link assertValidContinuation} as a hook. It throws `ContinuationValidationError`.
 * `options.mode` defaults to `strict`. Throws a `TypeError` that names a bad option.
 */
export function defaultContinuationValidator(
  options: Pick<ContinuationOptions, "mode"> = {},
): ContinuationValidator {
  const mode = parseMode(options);
  return ({
    persisted,
    incoming,
    approvals,
    pendingApprovals,
    clientToolCallIds,
    dropped,
    mayBeginLater,
    historyToken,
  }) => {
    assertValidContinuation(persisted, incoming, {
      mode,
      approvals,
      pendingApprovals,
      clientToolCallIds,
      dropped,
      mayBeginLater,
      historyToken,
    });
  };
}

/** Position and digest of a history. `ConversationMetadata` and the receipt of a write have these fields. */
export interface HistoryPosition {
  readonly nextPosition?: number;
  readonly historyDigest?: string;
}

/**
 * A token that a client sends in a continuation in place of its copy of the history: opaque, about 70 characters. Valid
 * until messages change, whoever changes them; changes of metadata don't affect it. `undefined` if the store keeps no
 * digests.
 *
 * It is no secret and grants no access: the store decides who owns the conversation. Whoever knows the stored messages can
 * compute it, and gains nothing by it.
 */
export const historyTokenOf = (position: HistoryPosition | undefined): string | undefined =>
  position?.nextPosition === undefined || position.historyDigest === undefined
    ? undefined
    : `${position.nextPosition}.${position.historyDigest}`;
