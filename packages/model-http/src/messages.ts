import type { ContentPart, ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool, jsonIn, messageText } from "@jaf/memory/internal";
import { type Fields, isObject } from "./fields.ts";
import { isMedia, mediaMention } from "./media.ts";

/**
 * Checks whether two origins have the same provider, API and model. Returns `false` if the first origin is `undefined`.
 */
export const isSameOrigin = (a: ModelOrigin | undefined, b: ModelOrigin): boolean =>
  a !== undefined && a.provider === b.provider && a.api === b.api && a.model === b.model;

/** Returns the ids of all tool calls in messages of this origin (provider, API and model). */
export const ownCallIds = (messages: readonly RichMessage[], origin: ModelOrigin): ReadonlySet<string> =>
  new Set(
    messages
      .filter((message) => isSameOrigin(message.origin, origin))
      .flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id)),
  );

/** Checks whether the message is a system or developer message. */
export const isInstruction = ({ role }: RichMessage): boolean => role === "system" || role === "developer";

/** A prompt, split into the system prompt and the other messages. */
interface SplitPrompt {
  /**
   * The instructions and the texts of the leading system and developer messages, joined by blank lines. `""` if the
   * prompt has no such texts.
   */
  readonly system: string;
  /** The messages after the leading system and developer messages. */
  readonly spoken: readonly RichMessage[];
  /** Number of leading system and developer messages. */
  readonly leading: number;
}

/**
 * Splits a prompt for APIs that take the system prompt separately. Joins the instructions and the conversation's
 * leading system and developer messages into one text.
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

/**
 * How readable reasoning of other models is sent: `"omit"` leaves it out, `"text"` sends it as text before the reply.
 */
export type ForeignReasoning = "omit" | "text";

/**
 * Returns the text of another model's message, including refusals and mentions of media. If `foreignReasoning` is
 * `"text"`, the message's readable reasoning comes first. Returns `""` if the message has no text.
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

/** Returns the readable reasoning of a message, or `""` if the message has none. */
function readableReasoning(message: RichMessage): string {
  // Gateways use different fields.
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

/**
 * Returns a reply's content:
 *
 * - If the reply is one plain text, with or without tool calls after it: the text.
 * - If the reply has only tool calls: `""`.
 * - Otherwise: all parts.
 */
export function contentOf(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const [first] = parts;
  const isPlain = first?.type === "text" && Object.keys(first).length === 2;
  const behind = isPlain ? parts.slice(1) : parts;
  if (behind.some(({ type }) => type !== "tool-call")) return parts;
  return isPlain ? String(first["text"]) : "";
}

/**
 * Returns the input of a tool call as an object. Input is wrapped as `{ input }` if it isn't a JSON object, or if it is
 * nested deeper than a store accepts. The input of a custom tool is always wrapped. Empty input of a function becomes
 * `{}`.
 */
export function inputObject(call: RichToolCall): Fields {
  const { input } = calledTool(call);
  const parsed = call.type === "custom" ? undefined : jsonIn(input);
  if (isObject(parsed)) return parsed;
  return call.type !== "custom" && input.trim() === "" ? {} : { input };
}
