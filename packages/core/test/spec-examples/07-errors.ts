// biome-ignore-all lint/suspicious/noExplicitAny: verbatim
import {
  type Guardrail,
  JAFErrorHandler,
  type JAFError as OurJAFError,
  type RunResult as OurRunResult,
  type RunConfig,
  type RunState,
  run,
  type ValidationResult,
} from "@jaf/core";
import type { z } from "zod";
import { assertType, type MyContext, type Same } from "./support.ts";

declare namespace Spec {
  export type JAFError =
    | { readonly _tag: "MaxTurnsExceeded"; readonly turns: number }
    | { readonly _tag: "ModelBehaviorError"; readonly detail: string }
    | { readonly _tag: "DecodeError"; readonly errors: z.ZodIssue[] }
    | { readonly _tag: "InputGuardrailTripwire"; readonly reason: string }
    | { readonly _tag: "OutputGuardrailTripwire"; readonly reason: string }
    | { readonly _tag: "ToolCallError"; readonly tool: string; readonly detail: string }
    | { readonly _tag: "HandoffError"; readonly detail: string }
    | { readonly _tag: "AgentNotFound"; readonly agentName: string };

  export type RunResult<Out> = {
    readonly finalState: RunState<any>;
    readonly outcome:
      | { readonly status: "completed"; readonly output: Out }
      | { readonly status: "error"; readonly error: OurJAFError };
  };

  export type ValidationResult =
    | { readonly isValid: true }
    | { readonly isValid: false; readonly errorMessage: string };
}

assertType<Same<Spec.JAFError, Extract<OurJAFError, { _tag: Spec.JAFError["_tag"] }>>>();
assertType<Same<Spec.RunResult<number>["finalState"], OurRunResult<number>["finalState"]>>();
// A run that waits for an approval is a third outcome; code that knows of two takes it for an error.
type KnownOutcome = Exclude<OurRunResult<number>["outcome"], { status: "interrupted" }>;
assertType<Same<Spec.RunResult<number>["outcome"], KnownOutcome>>();

export const formatted = ({ outcome }: OurRunResult<number>): string =>
  outcome.status === "completed" ? String(outcome.output) : JAFErrorHandler.format(outcome.error);

assertType<Same<Spec.ValidationResult, ValidationResult>>();

export function classify(error: OurJAFError) {
  const errorHandler = new JAFErrorHandler();

  // Format errors for display
  const message = errorHandler.format(error);

  // Check if error is retryable
  const canRetry = errorHandler.isRetryable(error);

  // Get error severity
  const severity = errorHandler.getSeverity(error); // 'low' | 'medium' | 'high' | 'critical'
  assertType<Same<typeof severity, "low" | "medium" | "high" | "critical">>();
  return { message, canRetry, severity };
}

export async function handle(initialState: RunState<MyContext>, config: RunConfig<MyContext>) {
  const result = await run(initialState, config);

  if (result.outcome.status === "completed") {
    console.log("Success:", result.outcome.output);
  } else {
    console.error("Error:", JAFErrorHandler.format(result.outcome.error));
  }
}

export const contentFilter: Guardrail<string> = (input: string): ValidationResult => {
  const sensitivePatterns = [/password/i, /secret/i, /api[_-]?key/i];

  for (const pattern of sensitivePatterns) {
    if (pattern.test(input)) {
      return {
        isValid: false,
        errorMessage: "Content contains potentially sensitive information",
      };
    }
  }

  return { isValid: true };
};
