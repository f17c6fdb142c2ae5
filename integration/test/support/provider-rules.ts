import type { RichMessage } from "@jaf/memory";
import { calledTool } from "@jaf/memory/history";

/**
 * The rules of OpenAI's chat completions and Anthropic's messages, written from their documentation and error messages,
 * independent of how JAF repairs a history.
 *
 * Returns broken rules as `"provider/rule at index"`, `[]` for a history that both accept. The index is the message's
 * index in the given history.
 */
export const brokenProviderRules = (messages: readonly RichMessage[]): readonly string[] => [
  ...brokenOpenAiRules(messages),
  ...brokenAnthropicRules(messages),
];

const isEmpty = ({ content }: RichMessage): boolean => content === null || content.length === 0;

const callsOf = ({ tool_calls: calls }: RichMessage) => calls ?? [];

function brokenOpenAiRules(messages: readonly RichMessage[]): readonly string[] {
  const broken: string[] = [];
  let called = new Set<string>();
  let answered = new Set<string>();
  const isOpen = () => answered.size < called.size;
  const report = (rule: string, index: number) => void broken.push(`openai/${rule} at ${index}`);
  if (messages.length === 0) report("no-message", 0);
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const id = message.tool_call_id ?? "";
      if (!called.has(id)) report("result-without-call", index);
      else if (answered.has(id)) report("second-result", index);
      answered.add(id);
      if (message.content === null) report("no-content", index);
      continue;
    }
    if (isOpen()) report("call-without-result", index);
    for (const rule of brokenCallRules(message)) report(rule, index);
    [called, answered] = [new Set(callsOf(message).map(({ id }) => id)), new Set()];
  }
  if (isOpen()) report("call-without-result", messages.length);
  return broken;
}

function brokenCallRules(message: RichMessage): readonly string[] {
  const { role, tool_calls } = message;
  const calls = callsOf(message);
  const wellMade = calls.every(
    (call) => call.id !== "" && call.type === "function" && /^[\w-]{1,64}$/.test(calledTool(call).name),
  );
  return [
    ...(role === "user" || role === "assistant" ? [] : ["unknown-role"]),
    ...(role !== "assistant" && calls.length > 0 ? ["calls-of-no-assistant"] : []),
    ...(tool_calls !== undefined && calls.length === 0 ? ["empty-list-of-calls"] : []),
    ...(calls.length === 0 && isEmpty(message) ? ["no-content"] : []),
    ...(new Set(calls.map(({ id }) => id)).size < calls.length ? ["call-id-twice"] : []),
    ...(wellMade ? [] : ["malformed-call"]),
  ];
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly input: unknown }
  | { readonly type: "tool_result"; readonly toolUseId: string };

/** A message as Anthropic counts it: consecutive messages of the same role are one. */
interface Merged {
  readonly role: "user" | "assistant";
  readonly blocks: Block[];
  /** The index of its first given message. */
  readonly index: number;
}

function brokenAnthropicRules(messages: readonly RichMessage[]): readonly string[] {
  const merged = merge(messages);
  const broken: string[] = [];
  const ids = new Set<string>();
  if (merged[0]?.role !== "user") broken.push("anthropic/begins-without-user at 0");
  for (const [position, message] of merged.entries()) {
    const rules = [
      ...brokenBlockRules(message),
      ...brokenUseRules(message, merged[position + 1], ids),
      ...brokenResultRules(message, merged[position - 1]),
    ];
    for (const rule of rules) broken.push(`anthropic/${rule} at ${message.index}`);
  }
  return broken;
}

function merge(messages: readonly RichMessage[]): readonly Merged[] {
  const merged: Merged[] = [];
  for (const [index, message] of messages.entries()) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = merged.at(-1);
    if (last?.role === role) last.blocks.push(...blocksOf(message));
    else merged.push({ role, index, blocks: blocksOf(message) });
  }
  return merged;
}

function blocksOf(message: RichMessage): Block[] {
  if (message.role === "tool") return [{ type: "tool_result", toolUseId: message.tool_call_id ?? "" }];
  const uses = callsOf(message).map((call): Block => {
    return { type: "tool_use", id: call.id, input: parse(calledTool(call).input) };
  });
  // An adapter leaves out an empty text if there is other content.
  if (uses.length > 0 && isEmpty(message)) return uses;
  const { content } = message;
  return [{ type: "text", text: typeof content === "string" ? content : JSON.stringify(content) }, ...uses];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function brokenBlockRules({ blocks }: Merged): readonly string[] {
  const isBlank = (block: Block) => block.type === "text" && block.text.trim() === "";
  const isNoObject = (block: Block) =>
    block.type === "tool_use" && (typeof block.input !== "object" || block.input === null);
  return [
    ...(blocks.some(isBlank) ? ["empty-text"] : []),
    ...(blocks.some(isNoObject) ? ["input-is-no-object"] : []),
  ];
}

const usesOf = ({ blocks }: Merged) =>
  blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));

const resultsOf = ({ blocks }: Merged) =>
  blocks.flatMap((block) => (block.type === "tool_result" ? [block.toolUseId] : []));

/** `seen`: the ids of all earlier messages. The message's ids are added. */
function brokenUseRules(message: Merged, next: Merged | undefined, seen: Set<string>): readonly string[] {
  const answers = next === undefined ? [] : resultsOf(next);
  return usesOf(message).flatMap((id) => {
    const twice = seen.has(id);
    seen.add(id);
    return [
      ...(twice ? ["use-id-twice"] : []),
      ...(/^[\w-]+$/.test(id) ? [] : ["malformed-use-id"]),
      ...(answers.includes(id) ? [] : ["use-without-result"]),
    ];
  });
}

function brokenResultRules(message: Merged, previous: Merged | undefined): readonly string[] {
  const uses = previous === undefined ? [] : usesOf(previous);
  const results = resultsOf(message);
  const firstOther = message.blocks.findIndex(({ type }) => type !== "tool_result");
  const lastResult = message.blocks.findLastIndex(({ type }) => type === "tool_result");
  return [
    ...results.filter((id) => !uses.includes(id)).map(() => "result-without-use"),
    ...(new Set(results).size < results.length ? ["second-result"] : []),
    ...(firstOther !== -1 && lastResult > firstOther ? ["text-before-result"] : []),
  ];
}
