/** An expression of the state that didn't give what its field needs. */
export interface TemplateError {
  readonly _tag: "TemplateError";
  /** The field of the state, e.g. `userMessage` or `agentOutcomes[0].condition`. */
  readonly field: string;
  /**
   * - `"failed"`: jq refuses to apply the expression to this input.
   * - `"time"`, `"memory"`, `"output"`: a limit of `AgentStateLimits.jq` was reached.
   * - `"value"`: the result has the wrong type, or there isn't exactly one.
   * - `"worker"`: the worker of jq couldn't be started, or broke.
   */
  readonly reason: "failed" | "time" | "memory" | "output" | "value" | "worker";
  /** What happened and what to do about it. It quotes nothing of the input. */
  readonly message: string;
  /** Whether the same run may succeed later. */
  readonly retryable: boolean;
  /** jq's own words. They may quote the input: show them to the state's author, don't log them. */
  readonly detail?: string;
}

const MESSAGES: Readonly<Record<Exclude<TemplateError["reason"], "value">, string>> = {
  failed: "the expression can't be applied to this input; try it with jq on an input like it",
  time: "the expression took longer than limits.jq.timeMs; simplify it or raise the limit",
  memory: "the expression needed more memory than limits.jq.memoryBytes; simplify it or raise the limit",
  output: "the results are longer than limits.jq.outputLength; select less or raise the limit",
  worker: "the worker of jq couldn't be started or broke; try again, and look for a lack of memory",
};

export function templateError(
  field: string,
  reason: Exclude<TemplateError["reason"], "value">,
  detail?: string,
): TemplateError {
  const retryable = reason === "worker" || reason === "time";
  const error = {
    _tag: "TemplateError" as const,
    field,
    reason,
    message: `${field}: ${MESSAGES[reason]}.`,
    retryable,
  };
  return detail === undefined ? error : { ...error, detail };
}

export const templateValueError = (field: string, expected: string): TemplateError => ({
  _tag: "TemplateError",
  field,
  reason: "value",
  message: `${field}: expected ${expected}.`,
  retryable: false,
});
