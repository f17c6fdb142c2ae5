import { createFailure, createSuccess, type Result } from "@jaf/memory";
import type { JqEvaluator, JqRequest } from "./jq.ts";

/** A text of the state, split into fixed texts and jq expressions, in order. */
export type Template = readonly TemplatePart[];

type TemplatePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "expression"; readonly expression: string };

export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly expected: string };

const OPENING = "${";

/**
 * Splits a text into fixed texts and expressions in `${ … }`. An expression ends at the matching brace, so an expression can
 * contain objects, comments, and strings with braces.
 */
export function parseTemplate(source: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let from = 0;
  for (let at = source.indexOf(OPENING); at !== -1; at = source.indexOf(OPENING, from)) {
    const start = at + OPENING.length;
    const end = endOfExpression(source, start);
    if (end === undefined)
      return { ok: false, expected: `a "}" that ends the template from character ${at + 1}` };
    const expression = source.slice(start, end).trim();
    if (expression === "") return { ok: false, expected: "a jq expression between the braces" };
    if (at > from) parts.push({ type: "text", text: source.slice(from, at) });
    parts.push({ type: "expression", expression });
    from = end + 1;
  }
  if (from < source.length || parts.length === 0) parts.push({ type: "text", text: source.slice(from) });
  return { ok: true, template: parts };
}

/** Returns the expression if a text consists of a single `${ … }`, and otherwise `undefined`. */
export function soleExpression(template: Template): string | undefined {
  const [part] = template;
  return template.length === 1 && part?.type === "expression" ? part.expression : undefined;
}

const CLOSING: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]" };

/**
 * Returns the index of the brace that ends an expression, or `undefined` without such a brace. In jq, even strings can
 * contain expressions: `\( … )`.
 */
function endOfExpression(source: string, start: number): number | undefined {
  const open: string[] = ["}"];
  for (let at = start; at < source.length; at += 1) {
    const character = source.charAt(at);
    const expected = open.at(-1);
    if (expected === '"') {
      if (character === '"') open.pop();
      if (character === "\\") {
        at += 1;
        if (source.charAt(at) === "(") open.push(")");
      }
    } else if (character === expected) {
      open.pop();
      if (open.length === 0) return at;
    } else if (character === '"') open.push('"');
    else if (character === "#") at = lineEnd(source, at);
    else if (CLOSING[character] !== undefined) open.push(CLOSING[character]);
  }
  return undefined;
}

const lineEnd = (source: string, at: number): number => {
  const end = source.indexOf("\n", at);
  return end === -1 ? source.length : end;
};

export type Evaluated<T> = Result<T, TemplateError>;

/**
 * Evaluates a text's expressions for an input and returns the whole text. Inserts strings unchanged and other values as
 * JSON. An expression must have exactly one result that isn't `null`. Any other result is an error, because it usually
 * means that a field of the input is missing.
 */
export async function evaluateText(
  jq: JqEvaluator,
  {
    field,
    template,
    input,
  }: { readonly field: string; readonly template: Template; readonly input: unknown },
): Promise<Evaluated<string>> {
  const texts: string[] = [];
  for (const part of template) {
    if (part.type === "text") {
      texts.push(part.text);
      continue;
    }
    const value = await evaluateOne(jq, field, { expression: part.expression, input });
    if (!value.success) return value;
    if (value.data === null) return createFailure(templateValueError(field, "a value but got null"));
    texts.push(typeof value.data === "string" ? value.data : JSON.stringify(value.data));
  }
  return createSuccess(texts.join(""));
}

/** Evaluates a condition for an input. A result other than `true` or `false` is an error. */
export async function evaluateCondition(
  jq: JqEvaluator,
  field: string,
  request: JqRequest,
): Promise<Evaluated<boolean>> {
  const value = await evaluateOne(jq, field, request);
  if (!value.success) return value;
  if (typeof value.data === "boolean") return createSuccess(value.data);
  return createFailure(templateValueError(field, "true or false"));
}

async function evaluateOne(jq: JqEvaluator, field: string, request: JqRequest): Promise<Evaluated<unknown>> {
  const result = await jq.evaluate(request);
  if (!result.ok) {
    return createFailure(
      templateError(field, result.reason, result.reason === "failed" ? result.detail : undefined),
    );
  }
  const [value] = result.values;
  if (result.values.length === 1) return createSuccess(value);
  return createFailure(templateValueError(field, `one result but got ${result.values.length}`));
}

/** The error of an expression in the state. */
export interface TemplateError {
  readonly _tag: "TemplateError";
  /** The field of the state, e.g. `userMessage` or `agentOutcomes[0].condition`. */
  readonly field: string;
  /**
   * Why the evaluation failed:
   *
   * - `"failed"`: jq can't apply the expression to this input.
   * - `"time"`, `"memory"`, `"output"`: the evaluation reached a limit of `AgentStateLimits.jq`.
   * - `"value"`: the result has the wrong type, or the expression doesn't have exactly one result.
   * - `"worker"`: the worker thread of jq couldn't start, or crashed.
   */
  readonly reason: "failed" | "time" | "memory" | "output" | "value" | "worker";
  /** What happened and what to do. Holds no content of the input. */
  readonly message: string;
  /** Whether the same evaluation can succeed if it is retried. */
  readonly retryable: boolean;
  /** jq's own message. It can quote the input, so show it to the state's author, but don't log it. */
  readonly detail?: string;
}

const MESSAGES: Readonly<Record<Exclude<TemplateError["reason"], "value">, string>> = {
  failed: "jq can't apply the expression to this input; try it with jq on a similar input",
  time: "the expression took longer than limits.jq.timeMs; simplify it or raise the limit",
  memory: "the expression needed more memory than limits.jq.memoryBytes; simplify it or raise the limit",
  output: "the results are longer than limits.jq.outputLength; select less or raise the limit",
  worker: "the jq worker couldn't start or crashed; try again, and check that the process has enough memory",
};

function templateError(
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
