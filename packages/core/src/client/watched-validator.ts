import type { Continuation, ContinuationValidator, Message } from "@jaf/memory";
import { assertValidContinuation, defaultContinuationValidator } from "@jaf/memory/turns";
import type { GivenByClient } from "./decisions.ts";

/** A validator that keeps what it threw, which an outcome can't contain. */
export interface WatchedValidator {
  /** Validates the same messages against an empty history only once. */
  readonly validate: ContinuationValidator;
  readonly thrown: () => { readonly thrown: unknown } | undefined;
}

export function watchValidator(
  validate: ContinuationValidator = defaultContinuationValidator(),
): WatchedValidator {
  let refusal: { readonly thrown: unknown } | undefined;
  let passed: Continuation["incoming"] | undefined;
  return {
    validate: async (continuation) => {
      const isNew = continuation.persisted.length === 0;
      if (isNew && continuation.incoming === passed) return;
      try {
        await validate(continuation);
      } catch (thrown) {
        refusal = { thrown };
        throw thrown;
      }
      if (isNew) passed = continuation.incoming;
    },
    thrown: () => refusal,
  };
}

interface Sent extends GivenByClient {
  /** Absent: the client sent no messages. */
  readonly messages: readonly Message[] | undefined;
  /** Absent: it sent no token. */
  readonly historyToken?: unknown;
}

/**
 * Judges what a client sent where there is no conversation yet, so that a refused request makes none. Throws
 * `ContinuationValidationError`, or what the validator throws.
 */
export async function judgeNew(
  { validate }: WatchedValidator,
  { messages, historyToken, approvals = [], toolResults = [] }: Sent,
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
