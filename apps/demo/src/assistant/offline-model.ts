import { setTimeout as sleep } from "node:timers/promises";
import {
  type Message,
  type ModelCompletion,
  type ModelProvider,
  type ModelStreamChunk,
  messageText,
  type ResolvedAgent,
  type RunState,
} from "@jaf/core";
import { answerFromHistory } from "./answers.ts";
import { rememberedIn } from "./remembered.ts";
import { requestsOf } from "./requests.ts";

/** A tool result is `{ status, data | error }`; what it says is what the assistant says. */
function sayResult({ content }: Message): string {
  try {
    const { status, data, error } = JSON.parse(content) as {
      status?: string;
      data?: unknown;
      error?: { message?: string };
    };
    if (status === "success") return String(data);
    return `That didn't work: ${error?.message ?? "the tool failed"}`;
  } catch {
    return content;
  }
}

function reply<Ctx>(state: Readonly<RunState<Ctx>>, agent: ResolvedAgent<Ctx>) {
  const { messages } = state;
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== "tool") + 1);
  if (results.length > 0) return { content: results.map(sayResult).join("\n"), calls: [] };
  const last = messages.at(-1);
  const requests = last?.role === "user" ? requestsOf(messageText(last)) : [];
  const calls = requests
    .filter(({ tool }) => agent.tools?.some(({ schema }) => schema.name === tool))
    .map(({ tool, args }, index) => ({
      // Unique within the conversation, and the same again when a cut-off reply is made anew.
      id: `call_${messages.length}_${index}`,
      function: { name: tool, arguments: JSON.stringify(args) },
    }));
  if (calls.length > 0) return { content: "", calls };
  return { content: answerFromHistory(messages, rememberedIn(agent.instructions(state))), calls };
}

/**
 * A model that is none: it follows fixed rules, the same words for the same history and instructions, and says so when
 * it doesn't understand. It makes the whole path real where no model is configured. `wordDelayMs` is the pause between two
 * streamed words.
 */
export function createOfflineModel<Ctx>({
  wordDelayMs,
}: {
  readonly wordDelayMs: number;
}): ModelProvider<Ctx> {
  return {
    getCompletion: async (state, agent): Promise<ModelCompletion> => {
      const { content, calls } = reply(state, agent);
      const tool_calls = calls.map((call) => ({ type: "function", ...call }) as const);
      return { message: { content, ...(calls.length === 0 ? {} : { tool_calls }) } };
    },
    getCompletionStream: async function* (state, agent, { signal }): AsyncGenerator<ModelStreamChunk> {
      const { content, calls } = reply(state, agent);
      for (const text of content.match(/\S+\s*/g) ?? []) {
        if (wordDelayMs > 0) await sleep(wordDelayMs, undefined, signal === undefined ? {} : { signal });
        yield { type: "text_delta", text };
      }
      for (const [index, { id, function: called }] of calls.entries())
        yield { type: "tool_call_delta", index, id, ...called };
      yield { type: "done" };
    },
  };
}
