import type { ContentPart, Message, RichMessage } from "@jaf/memory";
import { calledTool } from "@jaf/memory/internal";

type Part = Readonly<Record<string, unknown>>;

/** Returns messages in the conventions' form, as JSON text. Bytes of media are left out. */
export const messagesJson = (messages: readonly Message[]): string =>
  JSON.stringify(messages.map((message) => ({ role: message.role, parts: partsOf(message) })));

/** Returns instructions in the conventions' form, as JSON text. */
export const instructionsJson = (instructions: string): string =>
  JSON.stringify([{ type: "text", content: instructions }]);

/** Returns any value as JSON text; `undefined` if JSON can't express it. */
export function valueJson(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function partsOf(message: RichMessage): readonly Part[] {
  const { role, content, tool_calls: calls = [], tool_call_id: id } = message;
  const parts = typeof content === "string" ? textPart(content) : (content ?? []).flatMap(partOf);
  if (role === "tool") return [{ type: "tool_call_response", id, response: responseOf(parts) }];
  return [...parts, ...calls.map((call) => callPart(call.id, calledTool(call)))];
}

const textPart = (content: string): readonly Part[] => (content === "" ? [] : [{ type: "text", content }]);

/** A tool's answer that is one text is given as this text. */
const responseOf = (parts: readonly Part[]): unknown => {
  const [only] = parts;
  return parts.length === 1 && only?.["type"] === "text" ? only["content"] : parts;
};

function partOf(part: ContentPart): readonly Part[] {
  const { type, text } = part;
  // A call stands among the message's `tool_calls`, too.
  if (type === "tool-call") return [];
  if ((type === "text" || type === "reasoning") && typeof text === "string") return [{ type, content: text }];
  return [{ type }];
}

function callPart(id: string, { name, input }: { readonly name: string; readonly input: string }): Part {
  return { type: "tool_call", id, name, arguments: parsed(input) };
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
