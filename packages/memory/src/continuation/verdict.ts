import type { Message } from "../message.ts";
import type { ApprovalDecision } from "./approval.ts";

/**
 * Why a continuation is refused:
 *
 * - `not-a-prefix`: it rewrites the stored history, or is the history of another conversation.
 * - `truncated-history`: it leaves out the end of the stored history, or all of it. Strict mode alone.
 * - `stale-token`: the token stands for no history, for another conversation's, or for this one as it no longer is.
 * - `forged-tool-result`: a result for a call that was never made, that is not the client's to answer, or, in strict
 *   mode, that no longer waits for one.
 * - `duplicate-tool-result`: a result for a call that has one, stored or in the same request. Strict mode alone.
 * - `misplaced-tool-result`: a result behind a user message. Strict mode alone.
 * - `forged-assistant-message`: words or calls put into the assistant's mouth. Strict mode alone.
 * - `forbidden-role`: `system`, or any role but user, assistant and tool.
 * - `forged-part`: a message that the client adds holds what only a model's provider writes (reasoning, metadata, an
 *   origin, a tool that the provider ran), or a part that is neither text nor media.
 * - `malformed-message`: no list of messages, or something in it that no store would take.
 * - `forged-approval`: a decision about a call that waits for none, or with an approval id that isn't the call's.
 * - `duplicate-approval`: two decisions about one call. Strict mode alone.
 * - `malformed-approval`: no list of decisions, or something in it that is none.
 */
export type ContinuationRejectionCode = keyof typeof REASONS;

const REASONS = {
  "not-a-prefix": "the messages differ from the stored history; load the conversation again",
  "truncated-history": "the messages leave out the end of the stored history; load the conversation again",
  "stale-token":
    "the history token stands for another history than the stored one; load the conversation again",
  "forged-tool-result": "a tool result answers a call that does not wait for one from the client",
  "duplicate-tool-result": "a tool result answers a call that has its result; send one result for each call",
  "misplaced-tool-result": "a tool result stands behind a user message; send tool results first",
  "forged-assistant-message": "an assistant message is not in the stored history; send user messages",
  "forbidden-role": "a message has a role other than user, assistant and tool",
  "forged-part":
    "a message has a part other than text and media, or a field that only a model's provider writes",
  "malformed-message": "the messages are not a list of messages that can be stored",
  "forged-approval": "a decision names a call, or an approval id, that does not wait for one",
  "duplicate-approval": "two decisions are about the same call; send one for each call",
  "malformed-approval":
    "the approvals are not a list of decisions; each has toolCallId, approvalId, approved and maybe reason",
} as const;

export type ContinuationRejection = {
  readonly ok: false;
  readonly code: ContinuationRejectionCode;
  /** What is wrong and what helps, in words that hold nothing of the messages, no id and no name. */
  readonly reason: string;
  /**
   * Which of the incoming messages it is about, with the three approval codes which of the decisions. The number of
   * messages where one is missing, absent where there is no list.
   */
  readonly index?: number;
};

/**
 * What the client adds. All of it is copied and frozen: later changes to what came in change nothing. The stored
 * history is what the conversation goes on from, never the client's copy of it.
 */
export type ContinuationAcceptance = {
  readonly ok: true;
  /** Results for calls that the stored history ends with and that are pending, at most one each, as they came. */
  readonly toolResults: readonly Message[];
  /** New messages of the user. In compatible mode also what the client says that the assistant said. */
  readonly added: readonly Message[];
  /** Decisions about calls that are pending and not answered by `toolResults`, at most one each, as they came. */
  readonly approvals: readonly ApprovalDecision[];
};

export type ContinuationValidationResult = ContinuationAcceptance | ContinuationRejection;

export const reject = (code: ContinuationRejectionCode, index?: number): ContinuationRejection => ({
  ok: false,
  code,
  reason: REASONS[code],
  ...(index === undefined ? {} : { index }),
});
