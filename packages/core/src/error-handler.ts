import type { ErrorSeverity, JAFError, ModelCallError } from "./errors.ts";

const SHOWN_ISSUES = 5;

function formatIssues({ errors }: Extract<JAFError, { _tag: "DecodeError" }>): string {
  const shown = errors
    .slice(0, SHOWN_ISSUES)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  const more = errors.length > shown.length ? `; and ${errors.length - shown.length} more` : "";
  return `${shown.join("; ")}${more}`;
}

function formatCall({ attempts, status, cause }: ModelCallError): string {
  const times = attempts < 2 ? "" : ` ${attempts} times`;
  return `The model call failed${times}${status === undefined ? "" : ` with status ${status}`}: ${cause.message}`;
}

function format(error: JAFError): string {
  switch (error._tag) {
    case "MaxTurnsExceeded":
      return `The run was stopped after ${error.turns} turns without a final reply.`;
    case "BudgetExceeded":
      return `The budget of the ${error.of} is used up: ${error.spent} of ${error.allowed} (${error.limit}).`;
    case "ModelBehaviorError":
      return `The model behaved unexpectedly: ${error.detail}`;
    case "ModelRefused":
      return "The model refused to answer.";
    case "DecodeError":
      return `The final reply does not match the agent's output: ${formatIssues(error)}`;
    case "InputGuardrailTripwire":
      return `The input was blocked: ${error.reason}`;
    case "OutputGuardrailTripwire":
      return `The output was blocked: ${error.reason}`;
    case "ToolCallError":
      return `The tool "${error.tool}" failed: ${error.detail}`;
    case "HandoffError":
      return `The handoff failed: ${error.detail}`;
    case "AgentNotFound":
      return `No agent "${error.agentName}" is registered.`;
    case "ModelCallError":
      return formatCall(error);
    case "RunInterrupted":
      return `The run waits for an approval or for the client, with ${error.waiting === 1 ? "one tool call" : `${error.waiting} tool calls`}.`;
    case "ContinuationRejected":
      return `The continuation was rejected (${error.code}): ${error.reason}`;
    case "MemoryError":
      return error.error.message;
    case "RunAborted":
      return `The run was aborted: ${error.reason}`;
    case "InternalError":
      return `The run met a fault in the program: ${error.detail}${error.cause === undefined ? "" : `: ${error.cause.message}`}`;
  }
}

function isRetryable(error: JAFError): boolean {
  switch (error._tag) {
    case "ModelBehaviorError":
    case "ToolCallError":
      return true;
    case "ModelCallError":
      return error.retryable;
    case "MemoryError":
      return error.error.retryable;
    case "MaxTurnsExceeded":
    case "BudgetExceeded":
    case "ModelRefused":
    case "DecodeError":
    case "InputGuardrailTripwire":
    case "OutputGuardrailTripwire":
    case "HandoffError":
    case "AgentNotFound":
    case "RunAborted":
    case "RunInterrupted":
    case "ContinuationRejected":
    case "InternalError":
      return false;
  }
}

function getSeverity(error: JAFError): ErrorSeverity {
  switch (error._tag) {
    case "MaxTurnsExceeded":
    case "BudgetExceeded":
    case "RunAborted":
    case "RunInterrupted":
      return "low";
    case "ModelBehaviorError":
    case "ToolCallError":
      return "medium";
    case "ModelRefused":
    case "DecodeError":
    case "InputGuardrailTripwire":
    case "OutputGuardrailTripwire":
    case "ContinuationRejected":
      return "high";
    case "ModelCallError":
      return error.retryable ? "medium" : "critical";
    case "MemoryError":
      return error.error.retryable ? "high" : "critical";
    case "HandoffError":
    case "AgentNotFound":
    case "InternalError":
      return "critical";
  }
}

/** Analyses a {@link JAFError}. Each function is available on the class and on an instance. */
export class JAFErrorHandler {
  /** One sentence to show or log. */
  static readonly format = format;
  /** Whether the same run can succeed when it is tried again. */
  static readonly isRetryable = isRetryable;
  /** `critical`: somebody has to change code, configuration or credentials. */
  static readonly getSeverity = getSeverity;

  /** One sentence to show or log. */
  readonly format = format;
  /** Whether the same run can succeed when it is tried again. */
  readonly isRetryable = isRetryable;
  /** `critical`: somebody has to change code, configuration or credentials. */
  readonly getSeverity = getSeverity;
}
