import type { ContentPart, Message, RichMessage } from "@jaf/memory";
import { bytesIn, messageText, textIn } from "@jaf/memory/internal";
import type { Guardrail, ValidationResult } from "../guardrails/guardrail.ts";
import { plainCopy } from "../immutable/copy.ts";
import { abortable, abortError } from "../limits/abort.ts";
import { fail, type RunProgress, type RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { type Masking, textOfThrown } from "../thrown.ts";

const passed: ValidationResult = { isValid: true };

/**
 * Calls the guardrails in order and resolves with the first result that blocks `value`, or with `isValid: true`. Check
 * `RunConfig.signal` before you use the result: after an abort it means nothing.
 */
export async function checkGuardrails<I, Ctx>(
  scope: RunScope<Ctx>,
  guardrails: readonly Guardrail<I, Ctx>[] | undefined,
  checked: { readonly stage: "input" | "output"; readonly value: I; readonly context: Readonly<Ctx> },
): Promise<ValidationResult> {
  for (const guardrail of guardrails ?? []) {
    const verdict = await runGuardrail(scope, guardrail, checked);
    if (verdict.isValid) continue;
    if (scope.config.signal?.aborted !== true) {
      const data = { stage: checked.stage, reason: verdict.errorMessage };
      scope.emit?.({ type: "guardrail_tripped", data });
    }
    return verdict;
  }
  return passed;
}

async function runGuardrail<I, Ctx>(
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
/** A guardrail's error message quotes the checked value if they share this many consecutive characters. */
const QUOTE = 8;

/**
 * Returns the reason for blocking a value if a guardrail threw an error. The error's message is left out if it quotes
 * the value.
 */
function failureReason(thrown: unknown, checked: unknown, mask: Masking): string {
  if (!(thrown instanceof Error)) return `a guardrail failed with ${typeof thrown}`;
  const reason = `a guardrail failed with ${thrown.name}`;
  const message = mask(textOfThrown(thrown)).replace(/\s+/g, " ").trim();
  const shown = message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message;
  return shown === "" || quotes(shown, textOf(checked)) ? reason : `${reason}: ${shown}`;
}

function textOf(checked: unknown): string {
  if (typeof checked === "string") return checked;
  try {
    return JSON.stringify(checked) ?? "";
  } catch {
    return "";
  }
}

/** Returns whether the message quotes the text. */
function quotes(message: string, text: string): boolean {
  // A text shorter than `QUOTE` must be in the message as a whole. Less than four characters never count.
  const length = Math.min(QUOTE, text.length);
  if (length < 4) return false;
  const pieces = new Set<string>();
  for (let at = 0; at + length <= message.length; at++) pieces.add(message.slice(at, at + length));
  for (let at = 0; at + length <= text.length; at++) if (pieces.has(text.slice(at, at + length))) return true;
  return false;
}

/**
 * Checks the user messages in `messages` with the input guardrails. Returns the run's progress with an error if they
 * are blocked or the run is aborted; otherwise `undefined`.
 */
export async function checkInput<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  messages: readonly Message[],
): Promise<RunProgress<Ctx> | undefined> {
  const { initialInputGuardrails, signal } = scope.config;
  if (initialInputGuardrails === undefined) return undefined;
  const userMessages = messages.filter(({ role }) => role === "user");
  if (userMessages.length === 0) return undefined;
  const verdict = await checkGuardrails(scope, initialInputGuardrails, {
    stage: "input",
    value: userMessages.map(saidText).join("\n"),
    context: state.context,
  });
  const aborted = abortError(signal);
  if (aborted !== undefined) return fail(state, aborted);
  if (verdict.isValid) return undefined;
  return fail(state, { _tag: "InputGuardrailTripwire", reason: verdict.errorMessage });
}

/** Returns what a user said in a message: its text and the text of its text files. */
function saidText(message: Message): string {
  const { content }: RichMessage = message;
  if (!Array.isArray(content)) return messageText(message);
  const files = content.map(textOfFile).filter((text) => text !== undefined);
  return files.length === 0 ? messageText(message) : [messageText(message), ...files].join("\n");
}

const isText = (mediaType: string): boolean => /^(text\/|application\/json\b)/i.test(mediaType);

/** Returns the text of a text file in a message; `undefined` for any other content part. */
function textOfFile(part: ContentPart): string | undefined {
  const { type, mediaType, data, url } = part;
  if (type !== "media" || typeof mediaType !== "string" || !isText(mediaType)) return undefined;
  if (data instanceof Uint8Array) return new TextDecoder().decode(data);
  if (typeof data === "string") return textIn(bytesIn(data.replace(/^data:[^,]*,/, "")));
  return typeof url === "string" || url instanceof URL ? textOfDataUrl(String(url)) : undefined;
}

function textOfDataUrl(url: string): string | undefined {
  const [, parameters, text] = /^\s*data:([^,]*),([\s\S]*)$/i.exec(url) ?? [];
  if (parameters === undefined || text === undefined) return undefined;
  if (/;base64$/i.test(parameters)) return textIn(bytesIn(text));
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
