import { MAX_DEPTH, type ReadSource } from "./source.ts";

/** Copies an object as JSON has it, so that a later change of it has no effect. */
export function readObject(object: object, maxLength: number): ReadSource {
  const failed = (message: string): ReadSource => ({ ok: false, issues: [{ field: "", message }] });
  let text: string | undefined;
  try {
    text = JSON.stringify(object);
  } catch {
    return failed("expected an object that JSON can hold: no cycles, no bigints, not too deep");
  }
  if (text === undefined) return failed("expected an object that JSON can hold");
  if (text.length > maxLength) return failed(tooLong(text.length, maxLength));
  const data: unknown = JSON.parse(text, (key, value: unknown) => (key === "__proto__" ? undefined : value));
  if (depthOf(data) > MAX_DEPTH) return failed(`more than ${MAX_DEPTH} levels; an agent state needs fewer`);
  return { ok: true, source: { data, positionOf: () => undefined } };
}

export const tooLong = (length: number, maxLength: number): string =>
  `${length} characters, and limits.textLength is ${maxLength}; shorten the state or raise the limit`;

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce((deepest: number, held) => Math.max(deepest, depthOf(held)), 0);
}
