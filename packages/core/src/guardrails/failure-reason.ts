import type { Masking } from "../secrets/masking.ts";
import { textOfThrown } from "../thrown.ts";

const LONGEST = 300;
/** As many characters in a row as nobody has in common with a text by chance. */
const QUOTE = 8;

/**
 * Why a guardrail that threw blocked. Its message is left out where it repeats a piece of what was judged, as that of
 * `JSON.parse` does: reasons are logged, and hold nothing of the conversation.
 */
export function failureReason(thrown: unknown, judged: unknown, mask: Masking): string {
  if (!(thrown instanceof Error)) return `a guardrail failed with ${typeof thrown}`;
  const reason = `a guardrail failed with ${thrown.name}`;
  const message = mask(textOfThrown(thrown)).replace(/\s+/g, " ").trim();
  const shown = message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message;
  return shown === "" || quotes(shown, textOf(judged)) ? reason : `${reason}: ${shown}`;
}

function textOf(judged: unknown): string {
  if (typeof judged === "string") return judged;
  try {
    return JSON.stringify(judged) ?? "";
  } catch {
    return "";
  }
}

/** Of a text that is shorter than a quotation, whether it is repeated as a whole. */
function quotes(message: string, text: string): boolean {
  const length = Math.min(QUOTE, text.length);
  if (length < 4) return false;
  const pieces = new Set<string>();
  for (let at = 0; at + length <= message.length; at++) pieces.add(message.slice(at, at + length));
  for (let at = 0; at + length <= text.length; at++) if (pieces.has(text.slice(at, at + length))) return true;
  return false;
}
