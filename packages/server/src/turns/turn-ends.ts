import { type JAFError, JAFErrorHandler, type PromptResult, UserFacingError } from "@jaf/core";
import { thrownOf } from "@jaf/core/internal";
import { present } from "@jaf/memory/internal";
import type { TurnEnd, TurnError } from "./turn-event.ts";

/**
 * Converts a run's `PromptResult` into the last event of its turn. `hasOutput`: the agent has an `outputCodec`.
 * `isStopped`: a stop was requested.
 */
export function turnEndOf(
  result: PromptResult<unknown>,
  { hasOutput, isStopped }: { readonly hasOutput: boolean; readonly isStopped: boolean },
): TurnEnd {
  const { outcome, usage, spent } = result;
  const common = {
    type: "turn_end",
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
    ...present({ spent }),
  } as const;
  switch (outcome.status) {
    case "completed": {
      const output = hasOutput ? jsonOf(outcome.output) : undefined;
      return { ...common, status: "completed", ...present({ output }) };
    }
    case "interrupted":
      return { ...common, status: "interrupted", interruptions: outcome.interruptions };
    case "error":
      return isStopped
        ? { ...common, status: "stopped" }
        : { ...common, status: "error", error: turnErrorOf(outcome.error) };
  }
}

/** Returns the output if JSON can hold it, and otherwise `undefined`, e.g. for a bigint. */
function jsonOf(output: unknown): unknown {
  try {
    return JSON.stringify(output) === undefined ? undefined : output;
  } catch {
    return undefined;
  }
}

export const failedEnd = (error: TurnError): TurnEnd => ({ type: "turn_end", status: "error", error });

/** The error of a turn whose process ended, if no other process could continue the turn. */
export const LOST = {
  code: "Lost",
  message: "The turn's process ended, and no other process could continue the turn.",
  retryable: true,
} as const;

export const ERASED = {
  code: "MemoryError",
  message: "The conversation was erased.",
  retryable: false,
} as const;

export const FAULT = {
  code: "InternalError",
  message: "Internal server error.",
  retryable: false,
} as const;

/**
 * Converts a run's error into the `error` of the turn's last event. Keeps the message of a `UserFacingError`, but of no
 * other thrown error.
 */
function turnErrorOf(error: JAFError): TurnError {
  const thrown = thrownOf(error);
  // Messages of other errors may hold secrets.
  const message = thrown instanceof UserFacingError ? thrown.message : messageOf(error);
  return { code: error._tag, message, retryable: JAFErrorHandler.isRetryable(error) };
}

/**
 * Returns the last event of a turn in which a value was thrown. The event contains the message of a `UserFacingError`,
 * but of no other error.
 */
export const faultEnd = (thrown: unknown): TurnEnd =>
  failedEnd(thrown instanceof UserFacingError ? { ...FAULT, message: thrown.message } : FAULT);

/** Describes a run's error in a sentence, without texts of model providers or tools. */
export function messageOf(error: JAFError): string {
  switch (error._tag) {
    case "ModelCallError": {
      const status = error.status === undefined ? "" : ` with status ${error.status}`;
      return `The model call failed${status}.`;
    }
    case "InternalError":
      return FAULT.message;
    case "ToolCallError":
      return `The tool "${error.tool}" failed.`;
    case "DecodeError":
      return "The reply doesn't match the agent's output format.";
    default:
      return JAFErrorHandler.format(error);
  }
}
