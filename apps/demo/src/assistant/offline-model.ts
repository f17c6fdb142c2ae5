import { setTimeout as sleep } from "node:timers/promises";
import type { Message, ModelCompletion, ModelProvider, ModelStreamChunk } from "@jaf/core";
import { holdsSecret } from "@jaf/user-memory";
import { answerFromHistory, secretNotice } from "./answers.ts";
import { rememberedIn } from "./remembered.ts";
import { requestsOf } from "./requests.ts";
import type { Surface } from "./surface.ts";
import { understood } from "./understood.ts";

/** A tool result is `{ status, data | error }`; what it says is what the assistant says. */
function sayResult(content: string): string {
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

/** What the model is asked: messages, and the instructions for them. */
interface Request {
  readonly messages: readonly Message[];
  readonly instructions: string;
}

/** As the assistant's instructions say it. */
const SAYS_PRIVATE = /\bThe conversation is private\b/;

interface PlannedReply extends NonNullable<ModelCompletion["message"]> {
  readonly content?: string | null;
}

function planReply({ messages, instructions }: Request, surface: Surface): PlannedReply {
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== "tool") + 1);
  if (results.length > 0) return { content: results.map(({ content }) => sayResult(content)).join("\n") };
  const text = messages.at(-1)?.content ?? "";
  const place = { surface, isPrivate: SAYS_PRIVATE.test(instructions) };
  if (holdsSecret(understood(text))) return { content: secretNotice(place) };
  const requests = requestsOf(text);
  if (requests.length === 0) {
    return { content: answerFromHistory(messages, rememberedIn(instructions), place) };
  }
  return {
    content: "",
    tool_calls: requests.map(({ tool, args }, index) => ({
      // Unique within the conversation, and the same again when a cut-off reply is made anew.
      id: `call_${messages.length}_${index}`,
      type: "function",
      function: { name: tool, arguments: JSON.stringify(args) },
    })),
  };
}

/**
 * A model that is none: it follows fixed rules, the same words for the same history and instructions, and says so when
 * asked. It makes the whole path real where no model is configured. `wordDelayMs` is the pause between two streamed words,
 * `surface` where its replies are read (default: the terminal).
 */
export function createOfflineModel<Ctx>({
  wordDelayMs,
  surface = "terminal",
}: {
  readonly wordDelayMs: number;
  readonly surface?: Surface;
}): ModelProvider<Ctx> {
  return {
    getCompletion: async (state, agent) => ({
      message: planReply({ messages: state.messages, instructions: agent.instructions(state) }, surface),
    }),
    getCompletionStream: async function* (state, agent, { signal }): AsyncGenerator<ModelStreamChunk> {
      const { content, tool_calls } = planReply(
        { messages: state.messages, instructions: agent.instructions(state) },
        surface,
      );
      for (const text of content?.match(/\S+\s*/g) ?? []) {
        if (wordDelayMs > 0) await sleep(wordDelayMs, undefined, signal === undefined ? {} : { signal });
        yield { type: "text_delta", text };
      }
      for (const [index, call] of (tool_calls ?? []).entries()) {
        yield {
          type: "tool_call_delta",
          index,
          ...(call.id === undefined ? {} : { id: call.id }),
          ...call.function,
        };
      }
      yield { type: "done" };
    },
  };
}
