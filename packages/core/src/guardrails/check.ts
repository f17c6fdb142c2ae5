import type { RunScope } from "../engine/run-scope.ts";
import { plainCopy } from "../immutable/copy.ts";
import type { Masking } from "../secrets/masking.ts";
import { textOfThrown } from "../thrown.ts";
import { abortable } from "../timing/abort.ts";
import type { Guardrail, ValidationResult } from "./guardrail.ts";

const passed: ValidationResult = { isValid: true };

/** The first verdict against `value`, in order. Stops at an abort; the caller has to check for one. */
export async function checkGuardrails<I, Ctx>(
  scope: RunScope<Ctx>,
  guardrails: readonly Guardrail<I, Ctx>[] | undefined,
  judged: { readonly stage: "input" | "output"; readonly value: I; readonly context: Readonly<Ctx> },
): Promise<ValidationResult> {
  for (const guardrail of guardrails ?? []) {
    const verdict = await judge(scope, guardrail, judged);
    if (verdict.isValid) continue;
    if (scope.config.signal?.aborted !== true) {
      const data = { stage: judged.stage, reason: verdict.errorMessage };
      scope.emit?.({ type: "guardrail_tripped", data });
    }
    return verdict;
  }
  return passed;
}

async function judge<I, Ctx>(
  { config, mask }: RunScope<Ctx>,
  guardrail: Guardrail<I, Ctx>,
  { value, context }: { readonly value: I; readonly context: Readonly<Ctx> },
): Promise<ValidationResult> {
  try {
    const verdict: Partial<ValidationResult> | undefined = await abortable(
      (async () => guardrail(plainCopy(value), context as Parameters<Guardrail<I, Ctx>>[1]))(),
      config.signal,
    );
    if (verdict?.isValid === true) return passed;
    if (verdict?.isValid !== false) return blocked("a guardrail returned no verdict");
    return blocked(verdict.errorMessage ?? "a guardrail gave no reason");
  } catch (thrown) {
    return blocked(failureReason(thrown, value, mask));
  }
}

const blocked = (errorMessage: string): ValidationResult => ({ isValid: false, errorMessage });

const LONGEST = 300;
/** This many characters in a row aren't in two texts by chance. */
const QUOTE = 8;

/**
 * The reason of a guardrail that threw. The error's message is left out if it quotes what was judged, as that of `JSON.parse`
 * does: reasons are logged, and must not quote the conversation.
 */
function failureReason(thrown: unknown, judged: unknown, mask: Masking): string {
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

/** Whether the message quotes the text. A text that is shorter than a quotation must be quoted as a whole. */
function quotes(message: string, text: string): boolean {
  const length = Math.min(QUOTE, text.length);
  if (length < 4) return false;
  const pieces = new Set<string>();
  for (let at = 0; at + length <= message.length; at++) pieces.add(message.slice(at, at + length));
  for (let at = 0; at + length <= text.length; at++) if (pieces.has(text.slice(at, at + length))) return true;
  return false;
}
