import type { ContinuationValidator } from "@jaf/memory";
import { assertValidContinuation, defaultContinuationValidator } from "@jaf/memory/turns";
import type { Resume } from "../config.ts";

/**
 * Judges what a client sent where there is no conversation yet, so that a refused request makes none. Throws
 * `ContinuationValidationError`, or what the validator throws.
 */
export async function judgeNew(
  { messages, historyToken, approvals = [], toolResults = [] }: Resume,
  validate: ContinuationValidator = defaultContinuationValidator(),
): Promise<void> {
  const facts = {
    ...{ pendingApprovals: [], clientToolCallIds: [], dropped: 0 },
    ...(historyToken === undefined ? {} : { historyToken: { sent: historyToken, expected: undefined } }),
  };
  if (messages !== undefined) await validate({ persisted: [], incoming: messages, approvals, ...facts });
  // As a run does, whatever the application lets pass.
  assertValidContinuation([], messages ?? [], { mode: "compatible", approvals, ...facts });
  const answers = toolResults.map(({ toolCallId }) => ({
    role: "tool",
    content: "",
    tool_call_id: toolCallId,
  }));
  assertValidContinuation([], answers, { mode: "compatible", ...facts, historyToken: undefined });
}
