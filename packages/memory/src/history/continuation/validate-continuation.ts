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

/**
 * Thrown if a continuation is refused. Contains no message content, ids or names.
 *
 * @example
 * ```ts
 * import { assertValidContinuation, ContinuationValidationError, type Message } from "@jaf/memory";
 *
 * declare const stored: readonly Message[];
 *
 * export function check(messages: unknown): Response | undefined {
 *   try {
 *     assertValidContinuation(stored, messages);
 *     return undefined;
 *   } catch (error) {
 *     if (!(error instanceof ContinuationValidationError)) throw error;
 *     return Response.json({ code: error.code, message: error.message }, { status: 400 });
 *   }
 * }
 * ```
 */
export class ContinuationValidationError extends Error {
  override readonly name = "ContinuationValidationError";
  readonly code: ContinuationRejectionCode;
  /**
   * The index of the refused message or decision in its list. `undefined`: the refusal concerns no single message or
   * decision (e.g. an invalid history token).
   */
  readonly index: number | undefined;

  constructor({ code, reason, index }: ContinuationRejection) {
    super(`Continuation refused (${code}): ${reason}.`);
    this.code = code;
    this.index = index;
  }
}

/**
 * Checks whether a client's messages continue a stored history. Returns the messages that the client added, or why the
 * continuation is rejected.
 *
 * `persisted` is the stored history. `incoming` contains the client's messages: first the client's copy of the history,
 * and then new messages. The copy is compared with the stored history, but is never used. {@link
 * ContinuationOptions.mode} says which messages may follow the copy. {@link ContinuationRejectionCode} lists the
 * reasons for a rejection. Instead of the copy, the client can send a history token: {@link
 * ContinuationOptions.historyToken}.
 *
 * Never throws because of the client's data. Throws a `TypeError` that names the option if an option is invalid. Takes
 * time linear in the number of messages.
 *
 * @example
 * ```ts
 * import { type Message, validateContinuation } from "@jaf/memory";
 *
 * declare const stored: readonly Message[];
 * declare const body: { readonly messages: unknown; readonly approvals?: unknown };
 *
 * const result = validateContinuation(stored, body.messages, { approvals: body.approvals });
 * if (result.ok) console.log(result.toolResults, result.added, result.approvals);
 * else console.warn("continuation refused", result.code, result.reason);
 * ```
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
    return reject("malformed-message"); // A getter or proxy threw. Its error may quote content.
  }
}

/**
 * Does the same as {@link validateContinuation}, but throws a {@link ContinuationValidationError} if the continuation
 * is rejected.
 *
 * @example
 * ```ts
 * import { assertValidContinuation, ContinuationValidationError, type Message } from "@jaf/memory";
 *
 * declare const stored: readonly Message[];
 * declare const body: { readonly messages: unknown };
 *
 * try {
 *   const { added } = assertValidContinuation(stored, body.messages, { mode: "compatible" });
 *   console.log(added);
 * } catch (error) {
 *   if (!(error instanceof ContinuationValidationError)) throw error;
 *   console.warn("continuation refused", error.code, error.index);
 * }
 * ```
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
  const pending = pendingIds(persisted, options);
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

/** Returns the ids of the pending calls: those of the stored history, and those of the agents that they run. */
function pendingIds(
  persisted: readonly Message[],
  { clientToolCallIds = [], pendingApprovals = [] }: ParsedContinuationOptions,
): ReadonlySet<string> {
  const own = new Set(pendingToolCalls(persisted)?.missing.map(({ id }) => id));
  const waiting = [...clientToolCallIds, ...pendingApprovals.map(({ toolCallId }) => toolCallId)];
  // The calls of agents are in other conversations. Their ids begin with that of a call of this history.
  const nested = waiting.filter((id) => outerIds(id).some((outer) => own.has(outer)));
  return new Set([...own, ...nested]);
}

/** Returns the ids of the calls that a call with this id can be nested in, e.g. `call_1` for `call_1/call_7`. */
const outerIds = (id: string): readonly string[] =>
  [...id.matchAll(/\//g)].map(({ index }) => id.slice(0, index));

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

/** Converts the code `truncated-history`, which only strict mode has, into `not-a-prefix`. */
const withoutStrictCodes = (rejection: ContinuationRejection): ContinuationRejection =>
  rejection.code === "truncated-history" ? reject("not-a-prefix", rejection.index) : rejection;

interface DecisionRules {
  readonly strict: boolean;
  /** Whether the call has no result, neither in the stored history nor in the same request. */
  readonly isPending: (toolCallId: string) => boolean;
  readonly pendingApprovals: readonly PendingApproval[] | undefined;
}

type Decisions =
  | { readonly ok: true; readonly approvals: readonly ApprovalDecision[] }
  | ContinuationRejection;

/** Checks and copies a client's approval decisions. An absent list counts as an empty list. */
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

/** The input of a {@link ContinuationValidator}: the client's data and the stored history. */
export interface Continuation
  extends Pick<
    ContinuationOptions,
    "pendingApprovals" | "clientToolCallIds" | "dropped" | "mayBeginLater" | "historyToken"
  > {
  /** The stored history of the conversation. */
  readonly persisted: readonly Message[];
  /**
   * The client's messages. They begin with the client's copy of the history, unless the client sent a history token
   * (`historyToken`). The messages are not checked yet, in spite of the type.
   */
  readonly incoming: readonly Message[];
  /** The client's approval decisions. The decisions are not checked yet, in spite of the type. */
  readonly approvals?: readonly ApprovalDecision[] | undefined;
  /** The id of the conversation. Absent if the conversation is new. */
  readonly conversationId?: string | undefined;
}

/**
 * A function that checks a continuation. If the function returns (or its promise resolves), the continuation is
 * accepted. If it throws (or rejects), the continuation is refused.
 */
export type ContinuationValidator = (continuation: Continuation) => void | Promise<void>;

/**
 * Creates the default validator, which calls {@link assertValidContinuation}. The validator throws a
 * `ContinuationValidationError` if the continuation is rejected. `options.mode` is `strict` by default. Throws a
 * `TypeError` that names the option if an option is invalid.
 *
 * @example
 * ```ts
 * import { type ContinuationValidator, defaultContinuationValidator } from "@jaf/memory";
 *
 * const checkForgery = defaultContinuationValidator();
 *
 * export const validate: ContinuationValidator = async (continuation) => {
 *   if (continuation.incoming.length > 10_000) throw new Error("The conversation is too long.");
 *   await checkForgery(continuation);
 * };
 * ```
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

/**
 * The length and the digest of a stored history. `ConversationMetadata` and the receipts of writes have these fields.
 */
export interface HistoryPosition {
  readonly nextPosition?: number;
  readonly historyDigest?: string;
}

/**
 * Returns a history token: a text of about 70 characters. In a continuation, a client can send it instead of its copy
 * of the history. The token is valid until a writer changes the messages; changes of metadata don't affect it. Returns
 * `undefined` if the store keeps no digests.
 *
 * The token is not secret and gives no access, because access depends only on the conversation's owner. A person who
 * knows the stored messages can compute the token, but gains nothing by it.
 *
 * @example
 * ```ts
 * import type { MemoryProvider } from "@jaf/memory";
 * import { historyTokenOf } from "@jaf/memory/history";
 *
 * declare const provider: MemoryProvider;
 *
 * const loaded = await provider.getConversation("conv-123");
 * if (loaded.success) console.log(historyTokenOf(loaded.data?.metadata));
 * ```
 */
export const historyTokenOf = (position: HistoryPosition | undefined): string | undefined =>
  position?.nextPosition === undefined || position.historyDigest === undefined
    ? undefined
    : `${position.nextPosition}.${position.historyDigest}`;
