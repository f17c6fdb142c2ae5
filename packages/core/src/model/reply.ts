import type { Message, ToolCall } from "@jaf/memory";
import type { ModelCompletion, ModelToolCall } from "./completion.ts";

export type ParsedReply =
  | { readonly ok: true; readonly message: Message }
  /** What is wrong with it, without quoting it. */
  | { readonly ok: false; readonly detail: string };

const unusable = (detail: string): ParsedReply => ({ ok: false, detail });

/**
 * The assistant message that a completion holds. What can be repaired without guessing is: a missing id gets one, an
 * id used twice in the reply gets a suffix, absent arguments are `{}`. Everything else is unusable, a reply of nothing but
 * white space among it.
 */
export function parseReply(completion: ModelCompletion | null | undefined): ParsedReply {
  const content: unknown = completion?.message?.content ?? "";
  const calls: unknown = completion?.message?.tool_calls ?? [];
  if (typeof content !== "string") return unusable("its content is not text");
  if (!Array.isArray(calls)) return unusable("its tool calls are not a list");
  if (calls.length === 0) {
    if (content.trim() === "") return unusable("the reply is empty");
    return { ok: true, message: Object.freeze({ role: "assistant", content }) };
  }
  const toUniqueId = uniqueIds();
  const toolCalls: ToolCall[] = [];
  for (const call of calls as readonly (ModelToolCall | null)[]) {
    const name: unknown = call?.function?.name;
    if (typeof name !== "string" || name === "") return unusable("a tool call names no function");
    const text = argumentsText(call?.function?.arguments);
    if (text === undefined) return unusable("the arguments of a tool call are not JSON text");
    toolCalls.push(frozenCall(toUniqueId(call?.id), name, text));
  }
  const message: Message = { role: "assistant", content, tool_calls: Object.freeze(toolCalls) };
  return { ok: true, message: Object.freeze(message) };
}

function argumentsText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "{}";
  // Adapters of local models hand over the decoded object.
  return typeof value === "object" ? JSON.stringify(value) : undefined;
}

/** Events show the message, and observers must not change what the run goes on with. */
const frozenCall = (id: string, name: string, text: string): ToolCall =>
  Object.freeze({ id, type: "function", function: Object.freeze({ name, arguments: text }) });

function uniqueIds(): (id: unknown) => string {
  const taken = new Set<string>();
  /** Per id, where the search for a free suffix goes on: a reply of thousands of calls of one id stays linear. */
  const nextSuffix = new Map<string, number>();
  return (id) => {
    if (typeof id !== "string" || id === "") return `call_${crypto.randomUUID().replaceAll("-", "")}`;
    let unique = id;
    let suffix = nextSuffix.get(id) ?? 2;
    for (; taken.has(unique); suffix++) unique = `${id}_${suffix}`;
    if (unique !== id) nextSuffix.set(id, suffix);
    taken.add(unique);
    return unique;
  };
}
