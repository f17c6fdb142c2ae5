import type { Message } from "../../contract/message.ts";
import { present } from "../../runtime/objects.ts";
import type { ApprovalDecision } from "./approval.ts";

/**
 * Why a continuation is refused:
 *
 * - `not-a-prefix`: the messages change the stored history, or contain the history of another conversation.
 * - `truncated-history`: the messages leave out the end of the stored history, or all of it. Only in strict mode.
 * - `stale-token`: the history token is invalid, belongs to another conversation, or to an earlier state of this
 *   conversation.
 * - `forged-tool-result`: a result for a call that was never made or that the client must not answer. In strict mode,
 *   also a result for a call that is no longer pending.
 * - `duplicate-tool-result`: a result for a call that already has a result, stored or in the same request. Only in
 *   strict mode.
 * - `misplaced-tool-result`: a result after a user message. Only in strict mode.
 * - `forged-assistant-message`: an assistant message that isn't in the stored history. Only in strict mode.
 * - `forbidden-role`: a message with another role than user, assistant and tool (e.g. `system`).
 * - `forged-part`: an added message contains data that only a model provider writes (reasoning, metadata, an origin, a
 *   call of the provider's own tool), or a part that is neither text nor media.
 * - `malformed-message`: the value is not a list of messages, or a message can't be stored.
 * - `forged-approval`: a decision about a call that doesn't wait for an approval, or a decision with a wrong approval
 *   id.
 * - `duplicate-approval`: two decisions about the same call. Only in strict mode.
 * - `malformed-approval`: the value is not a list of decisions, or a decision is invalid.
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

/** A continuation that was refused. */
export type ContinuationRejection = {
  readonly ok: false;
  readonly code: ContinuationRejectionCode;
  /** What is wrong and what to do. Contains no message content, ids or names. */
  readonly reason: string;
  /**
   * The place of the problem:
   *
   * - For the three codes about approvals, the index of the refused decision.
   * - For all other codes, the index of the refused message in `incoming`. If a message is missing at the end of
   *   `incoming`, the number of messages.
   * - Absent if no single message or decision is refused: `incoming` or the decisions aren't a list, or the history
   *   token is stale.
   */
  readonly index?: number;
};

/**
 * The messages that the client added, as frozen copies. Append these messages to the stored history, never to the
 * client's copy of the history.
 */
export type ContinuationAcceptance = {
  readonly ok: true;
  /**
   * Results for pending calls at the end of the stored history, in the order in which the client sent them. Contains at
   * most one result for each call.
   */
  readonly toolResults: readonly Message[];
  /** New user messages. In compatible mode, also assistant messages from the client. */
  readonly added: readonly Message[];
  /**
   * Decisions about pending calls that have no result in `toolResults`, in the order in which the client sent them.
   * Contains at most one decision for each call.
   */
  readonly approvals: readonly ApprovalDecision[];
};

/** The result of `validateContinuation`: the messages that the client added, or why the continuation is refused. */
export type ContinuationValidationResult = ContinuationAcceptance | ContinuationRejection;

export const reject = (code: ContinuationRejectionCode, index?: number): ContinuationRejection => ({
  ok: false,
  code,
  reason: REASONS[code],
  ...present({ index }),
});
