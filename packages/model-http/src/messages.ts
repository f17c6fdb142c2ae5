import type { ContentPart, ModelOrigin, RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool, messageText } from "@jaf/memory/internal";
import { type Fields, isObject, parseJson } from "./fields.ts";
import { isMedia, mediaMention } from "./media.ts";

export const isSameOrigin = (a: ModelOrigin | undefined, b: ModelOrigin): boolean =>
  a !== undefined && a.provider === b.provider && a.api === b.api && a.model === b.model;

/** The ids of all calls that this origin made. */
export const ownCallIds = (messages: readonly RichMessage[], origin: ModelOrigin): ReadonlySet<string> =>
  new Set(
    messages
      .filter((message) => isSameOrigin(message.origin, origin))
      .flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id)),
  );

export const isInstruction = ({ role }: RichMessage): boolean => role === "system" || role === "developer";

/** Joins the instructions and the conversation's leading system messages; `spoken` are the messages after them. */
export function splitInstructions(instructions: readonly string[], messages: readonly RichMessage[]) {
  const begin = messages.findIndex((message) => !isInstruction(message));
  const leading = begin === -1 ? messages.length : begin;
  const texts = [...instructions, ...messages.slice(0, leading).map(messageText)];
  return {
    system: texts.filter((text) => text !== "").join("\n\n"),
    spoken: messages.slice(leading),
    leading,
  };
}

/** Whether readable reasoning of other models is left out or sent as text before the reply. */
export type ForeignReasoning = "omit" | "text";

/**
 * The text of another model's message, optionally after its reasoning; `""` if it has none. Includes refusals, and
 * mentions of media.
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

/** Returns a string if there is only one text, possibly followed by calls; else the parts. */
export function contentOf(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const [first] = parts;
  const isPlain = first?.type === "text" && Object.keys(first).length === 2;
  const behind = isPlain ? parts.slice(1) : parts;
  if (behind.some(({ type }) => type !== "tool-call")) return parts;
  return isPlain ? String(first["text"]) : "";
}

/** The input of a call as an object. Any other input is wrapped as `{ input }`. */
export function inputObject(call: RichToolCall): Fields {
  const { input } = calledTool(call);
  const parsed = call.type === "custom" ? undefined : parseJson(input);
  if (isObject(parsed)) return parsed;
  return call.type !== "custom" && input.trim() === "" ? {} : { input };
}
