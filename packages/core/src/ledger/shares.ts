import type { LedgerAmounts, LedgerEntry, Message, RichMessage } from "@jaf/memory";
import { calledTool } from "@jaf/memory/internal";

/**
 * Returns the names of the tools whose results the model reads for the first time: those after its last reply. Leaves out
 * names for which `isTool` returns `false`.
 */
export function toolsReadBy(
  messages: readonly Message[],
  isTool: (name: string) => boolean,
): readonly string[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const read = new Set<string | undefined>();
  for (const { role, tool_call_id } of messages.slice(last + 1)) if (role === "tool") read.add(tool_call_id);
  if (read.size === 0) return [];
  const { tool_calls = [] }: RichMessage = messages[last] ?? { role: "assistant", content: "" };
  const names = tool_calls.filter(({ id }) => read.has(id)).map((call) => calledTool(call).name);
  return [...new Set(names.filter(isTool))];
}

/** The amounts that are whole numbers. */
const TOKENS = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
] as const satisfies readonly (keyof LedgerAmounts)[];

/** Divides an entry equally between tools. Tokens stay whole numbers, and the sums stay the same. */
export function shares(entry: LedgerEntry, tools: readonly string[]): readonly LedgerEntry[] {
  if (tools.length === 0) return [entry];
  const parts = tools.length;
  return tools.map((tool, index) => {
    const share: { -readonly [Field in keyof LedgerEntry]: LedgerEntry[Field] } = { ...entry, tool };
    for (const field of TOKENS) {
      const tokens = entry[field];
      // The first shares get what can't be divided.
      if (tokens !== undefined) share[field] = Math.floor((tokens + parts - 1 - index) / parts);
    }
    if (entry.calls !== undefined) share.calls = entry.calls / parts;
    if (entry.cost !== undefined) share.cost = entry.cost / parts;
    return share;
  });
}
