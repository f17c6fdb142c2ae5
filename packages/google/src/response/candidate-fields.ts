import { type Fields, isObject } from "@jaf/model-http";

/** What stands beside a candidate's parts and is for us alone. */
const READ: ReadonlySet<string> = new Set(["content", "index", "finishReason"]);

/**
 * What is said of a reply beside its parts: sources, citations, ratings. Events of a stream may each say some of it, or say
 * it again: objects are merged, and lists within them, such as sources, keep what came before.
 */
export function mergeCandidate(known: Fields, candidate: Fields): Fields {
  const merged: Record<string, unknown> = { ...known };
  for (const [field, value] of Object.entries(candidate))
    if (!READ.has(field)) merged[field] = mergedValue(merged[field], value);
  return merged;
}

function mergedValue(before: unknown, value: unknown): unknown {
  if (!isObject(before) || !isObject(value)) return value;
  const merged: Record<string, unknown> = { ...before };
  for (const [field, inner] of Object.entries(value)) {
    const known = merged[field];
    merged[field] = Array.isArray(known) && Array.isArray(inner) ? union(known, inner) : inner;
  }
  return merged;
}

function union(before: readonly unknown[], further: readonly unknown[]): readonly unknown[] {
  const known = new Set(before.map((entry) => JSON.stringify(entry)));
  return [...before, ...further.filter((entry) => !known.has(JSON.stringify(entry)))];
}
