import type { Message } from "../../contract/message.ts";
import { present } from "../../runtime/objects.ts";
import type { ApprovalDecision } from "./approval.ts";

/**
 * Why a continuation is refused:
 *
 * - `not-a-prefix`: it rewrites the stored history, or is the history of another conversation.
 * - `truncated-history`: it leaves out the end of the stored history, or all of it. Only in strict mode.
 * - `stale-token`: the token is invalid, of another conversation, or of an earlier state of this one.
 * - `forged-tool-result`: a result for a call that was never made or that the client must not answer, or, in strict
 *   mode, that no longer waits for one.
 * - `duplicate-tool-result`: a result for a call that already has one, stored or in the same request. Only in strict
 *   mode.
 * - `misplaced-tool-result`: a result after a user message. Only in strict mode.
 * - `forged-assistant-message`: an assistant message that isn't in the stored history. Only in strict mode.
 * - `forbidden-role`: any role except user, assistant and tool, e.g. `system`.
 * - `forged-part`: an added message contains data that only a model provider writes (reasoning, metadata, an origin, a
 *   tool that the provider ran), or a part that is neither text nor media.
 * - `malformed-message`: not a list of messages, or a message that can't be stored.
 * - `forged-approval`: a decision about a call that doesn't wait for one, or with a wrong approval id.
 * - `duplicate-approval`: two decisions about one call. Only in strict mode.
 * - `malformed-approval`: not a list of decisions, or an invalid decision.
 */
export type ContinuationRejectionCode = keyof typeof REASONS;

const REASONS = {
  "not-a-prefix": "the messages differ from the stored history; load the conversation again",
  "truncated-history": "the messages leave out the end of the stored history; load the conversation again",
  "stale-token": "the history token doesn't match the stored history; load the conversation again",
  "forged-tool-result": "a tool result answers a call that does not wait for one from the client",
  "duplicate-tool-result": "a tool result answers a call that has its result; send one result for each call",
  "misplaced-tool-result": "a tool result comes after a user message; send tool results first",
  "forged-assistant-message": "an assistant message is not in the stored history; send user messages",
  "forbidden-role": "a message has a role other than user, assistant and tool",
  "forged-part":
    "a message has a part other than text and media, or a field that only a model provider writes",
  "malformed-message": "the messages are not a list of valid messages",
  "forged-approval": "a decision names a call that does not wait for approval, or a wrong approval id",
  "duplicate-approval": "two decisions are about the same call; send one for each call",
  "malformed-approval":
    "the approvals are not a list of decisions; each has toolCallId, approvalId, approved and an optional reason",
} as const;

/** A refused continuation. */
export type ContinuationRejection = {
  readonly ok: false;
  readonly code: ContinuationRejectionCode;
  /** The problem and what to do. Contains no message content, ids or names. */
  readonly reason: string;
  /**
   * The index of the incoming message, or of the decision for the three approval codes. The number of messages if one
   * is missing. Absent if there is no list.
   */
  readonly index?: number;
};

/**
 * The client's added messages, copied and frozen: later changes to the input don't affect them. Continue from the
 * stored history, never from the client's copy.
 */
export type ContinuationAcceptance = {
  readonly ok: true;
  /**
   * Results for pending calls at the end of the stored history, at most one for each call, in their order of arrival.
   */
  readonly toolResults: readonly Message[];
  /** New user messages. In compatible mode also assistant messages from the client. */
  readonly added: readonly Message[];
  /**
   * Decisions about calls that are pending and not answered by `toolResults`, at most one for each call, in their order
   * of arrival.
   */
  readonly approvals: readonly ApprovalDecision[];
};

/** The result of `validateContinuation`: the client's added messages, or why the continuation is refused. */
export type ContinuationValidationResult = ContinuationAcceptance | ContinuationRejection;

export const reject = (code: ContinuationRejectionCode, index?: number): ContinuationRejection => ({
  ok: false,
  code,
  reason: REASONS[code],
  ...present({ index }),
});
