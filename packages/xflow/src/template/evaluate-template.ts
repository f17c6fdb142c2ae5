import type { Result } from "@jaf/memory";
import { createFailure, createSuccess } from "@jaf/memory";
import type { JqEvaluator, JqRequest } from "../jq/jq-evaluator.ts";
import type { Template } from "./parse-template.ts";
import { type TemplateError, templateError, templateValueError } from "./template-error.ts";

export type Evaluated<T> = Result<T, TemplateError>;

/**
 * The text that a template gives for an input. Strings are taken as they are, other values as JSON. An expression without a
 * result, with several, or with `null` is an error: mostly a field of the input is missing.
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
    if (value.data === null) return createFailure(templateValueError(field, "a value, and got null"));
    texts.push(typeof value.data === "string" ? value.data : JSON.stringify(value.data));
  }
  return createSuccess(texts.join(""));
}

/** Whether a condition holds. Anything but `true` and `false` is an error. */
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
  return createFailure(templateValueError(field, `one result, and got ${result.values.length}`));
}
