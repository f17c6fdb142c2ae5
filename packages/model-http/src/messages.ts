import type { ContentPart, ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool, jsonIn, messageText } from "@jaf/memory/internal";
import { type Fields, isObject } from "./fields.ts";
import { isMedia, mediaMention } from "./media.ts";

/** Checks whether two messages come from the same provider, API and model. `false` if the first origin is unknown. */
export const isSameOrigin = (a: ModelOrigin | undefined, b: ModelOrigin): boolean =>
  a !== undefined && a.provider === b.provider && a.api === b.api && a.model === b.model;

/** Returns the ids of all calls that this origin made. */
export const ownCallIds = (messages: readonly RichMessage[], origin: ModelOrigin): ReadonlySet<string> =>
  new Set(
    messages
      .filter((message) => isSameOrigin(message.origin, origin))
      .flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id)),
  );

/** Checks whether the message is a system or developer message. */
export const isInstruction = ({ role }: RichMessage): boolean => role === "system" || role === "developer";

/** The two parts of a prompt. */
interface SplitPrompt {
  /** The instructions and the texts of the leading system messages, joined by blank lines. `""` if there are none. */
  readonly system: string;
  /** The messages after the leading system messages. */
  readonly spoken: readonly RichMessage[];
  /** Number of leading system and developer messages. */
  readonly leading: number;
}

/**
 * Joins the instructions and the conversation's leading system messages, for APIs with a separate system prompt.
 *
 * @example
 * ```ts
 * import type { RichMessage } from "@jaf/memory";
 * import { splitInstructions } from "@jaf/model-http";
 *
 * declare const messages: readonly RichMessage[];
 * const { system, spoken } = splitInstructions(["Answer in one sentence."], messages);
 * export const body = { system, messages: spoken.map(({ role, content }) => ({ role, content })) };
 * ```
 */
export function splitInstructions(
  instructions: readonly string[],
  messages: readonly RichMessage[],
): SplitPrompt {
  const begin = messages.findIndex((message) => !isInstruction(message));
  const leading = begin === -1 ? messages.length : begin;
  const texts = [...instructions, ...messages.slice(0, leading).map(messageText)];
  return {
    system: texts.filter((text) => text !== "").join("\n\n"),
    spoken: messages.slice(leading),
    leading,
  };
}

/** How readable reasoning of other models is sent: `"omit"` leaves it out, `"text"` sends it as text before the reply. */
export type ForeignReasoning = "omit" | "text";

/**
 * Returns the text of another model's message, with `"text"` after its readable reasoning. Includes refusals and mentions
 * of media. Returns `""` if the message has no text.
 */
export function otherModelText(message: RichMessage, foreignReasoning: ForeignReasoning): string {
  const parts = Array.isArray(message.content) ? message.content : [];
  const refusals = [message["refusal"], ...parts.map((part) => part["refusal"])];
  const said = [messageText(message), ...refusals, ...parts.filter(isMedia).map(mediaMention)]
    .filter((line) => typeof line === "string" && line !== "")
    .join("\n");
  return [foreignReasoning === "text" ? readableReasoning(message) : "", said]
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

/** The readable reasoning in the fields of any gateway. */
function readableReasoning(message: RichMessage): string {
  for (const field of ["reasoning_content", "reasoning"]) {
    const value = message[field];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  if (!Array.isArray(message.content)) return "";
  return message.content
    .map((part) => (part.type === "reasoning" ? part["text"] : undefined))
    .filter((text) => typeof text === "string")
    .join("\n");
}

/** Returns a reply's content as a string if it is one plain text, possibly followed by calls; `""` for calls alone; else the parts. */
export function contentOf(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const [first] = parts;
  const isPlain = first?.type === "text" && Object.keys(first).length === 2;
  const behind = isPlain ? parts.slice(1) : parts;
  if (behind.some(({ type }) => type !== "tool-call")) return parts;
  return isPlain ? String(first["text"]) : "";
}

/** Returns the input of a call as an object. Any other input, also JSON that is nested too deeply, is wrapped as `{ input }`. */
export function inputObject(call: RichToolCall): Fields {
  const { input } = calledTool(call);
  const parsed = call.type === "custom" ? undefined : jsonIn(input);
  if (isObject(parsed)) return parsed;
  return call.type !== "custom" && input.trim() === "" ? {} : { input };
}
