import type { ValidationResult } from "./guardrail.ts";

const SENSITIVE = [/password/i, /secret/i, /api[_-]?key/i];

/**
 * Creates a guardrail that blocks text that matches any of the patterns. If the output isn't a text, each text in it is
 * checked, at any depth: field names, values, numbers, and entries of Maps and Sets. Default patterns: words for
 * credentials ("password", "secret", "api key").
 *
 * @example
 * ```ts
 * import { createContentFilter, type ModelProvider, type RunSettings } from "@jaf/core";
 *
 * declare const modelProvider: ModelProvider<object>;
 *
 * export const settings: RunSettings<object> = {
 *   modelProvider,
 *   finalOutputGuardrails: [createContentFilter([/internal only/i])],
 * };
 * ```
 */
export function createContentFilter(
  patterns: readonly RegExp[] = SENSITIVE,
): (input: unknown) => ValidationResult {
  return (input) => {
    for (const text of textsIn(input)) {
      // `search` ignores the position that a pattern with the flag `g` keeps between calls of `test`.
      if (patterns.some((pattern) => text.search(pattern) !== -1)) {
        return { isValid: false, errorMessage: "Content contains potentially sensitive information" };
      }
    }
    return { isValid: true };
  };
}

/** Yields all texts in a value, which can be deep or cyclic. */
function* textsIn(input: unknown): Generator<string> {
  const seen = new Set<unknown>();
  const open: unknown[] = [input];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") yield value;
    else if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
      yield String(value);
    } else if (typeof value === "object" && value !== null && !seen.has(value)) {
      seen.add(value);
      for (const part of partsOf(value)) open.push(part);
    }
  }
}

function* partsOf(value: object): Generator<unknown> {
  // The bytes of media aren't text.
  if (ArrayBuffer.isView(value)) return;
  if (value instanceof Date || value instanceof URL) yield value.toJSON();
  if (value instanceof Error) yield value.message;
  if (value instanceof Map || value instanceof Set) for (const entry of value.entries()) yield* entry;
  for (const entry of Object.entries(value)) yield* entry;
}
