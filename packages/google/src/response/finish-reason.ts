import { errors, GoogleError } from "../error.ts";

/** Reasons of Google's for which it keeps an answer back, or part of it. */
const FILTERS: ReadonlySet<string> = new Set([
  ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"],
  ...["IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"],
]);

/** The model meant to call a tool, and what it wrote is none: nothing of it counts. */
const MALFORMED: ReadonlySet<string> = new Set([
  ...["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"],
]);

export const isFilter = (reason: string): boolean => FILTERS.has(reason);

/**
 * In OpenAI's words, as JAF's other providers say it: `"stop"`, `"length"`, `"tool_calls"`, `"content_filter"`; any other in
 * Google's, in small letters.
 */
export function finishReasonOf(reason: string, hasCalls: boolean): string {
  if (reason === "STOP") return hasCalls ? "tool_calls" : "stop";
  if (reason === "MAX_TOKENS") return "length";
  return isFilter(reason) ? "content_filter" : reason.toLowerCase();
}

/** Throws a `GoogleError` where there is no reply for this reason. */
export function assertReply(reason: string | undefined, provider: string): void {
  if (reason === undefined) return;
  if (MALFORMED.has(reason)) throw errors.malformed(provider, `a call that is none (${reason})`);
  if (reason === "MISSING_THOUGHT_SIGNATURE")
    throw new GoogleError("reported", `${provider} reported an error (${reason})`, {
      code: reason,
      isRetryable: false,
    });
}
