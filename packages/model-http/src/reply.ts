import type { ServiceErrors } from "./errors.ts";
import { parseJson } from "./fields.ts";

/** Parses the body of a response with status 200. Throws the service's error if the body isn't JSON. */
export function responseJson(text: string, provider: string, errors: ServiceErrors): unknown {
  if (text.trim() === "") throw errors.malformed(provider, "an empty body");
  const body = parseJson(text);
  if (body === undefined) throw errors.malformed(provider, "invalid JSON");
  return body;
}

/** Returns the value if it is a finite number and at least 0. Returns `undefined` for any other value. */
export const tokenCount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;

/** Returns the token counts that are defined, or `undefined` if all are undefined. */
export function knownCounts<Name extends string>(
  counts: Readonly<Record<Name, number | undefined>>,
): { readonly [Count in Name]?: number } | undefined {
  const known = Object.entries(counts).filter(([, tokens]) => tokens !== undefined);
  return known.length === 0 ? undefined : (Object.fromEntries(known) as { [Count in Name]?: number });
}

/** Returns the last chunk of a streamed reply, which contains the complete reply. */
export const doneChunk = <Reply extends { readonly finish_reason?: string | null }>({
  finish_reason: finishReason,
  ...reply
}: Reply) => ({
  type: "done" as const,
  ...reply,
  ...(typeof finishReason === "string" ? { finishReason } : {}),
});
