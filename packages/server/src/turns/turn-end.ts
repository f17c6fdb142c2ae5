import type { PromptResult } from "@jaf/core";
import { present } from "@jaf/memory/engine";
import { turnErrorOf } from "./turn-errors.ts";
import type { TurnEnd, TurnError } from "./turn-event.ts";

/** How a run's result ends its turn. */
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

/** A codec may make of a reply what can't be sent. */
function jsonOf(output: unknown): unknown {
  try {
    return JSON.stringify(output) === undefined ? undefined : output;
  } catch {
    return undefined;
  }
}

export const failedEnd = (error: TurnError): TurnEnd => ({ type: "turn_end", status: "error", error });

/** The turn's process is gone, or the conversation. */
export const LOST = {
  code: "Lost",
  message: "The turn was cut off, and no process could go on with it.",
  retryable: true,
} as const;

export const ERASED = {
  code: "MemoryError",
  message: "The conversation was erased.",
  retryable: false,
} as const;

export const FAULT = {
  code: "InternalError",
  message: "The server met a fault in its program.",
  retryable: false,
} as const;
