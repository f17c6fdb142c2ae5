import { randomBytes } from "node:crypto";
import type { BrokenReply } from "../../../../test/fakes/came-back.ts";
import type { FakeOptions } from "../../../../test/fakes/model-service.ts";
import type { OpaqueValues } from "../../../../test/fakes/opaque-values.ts";
import { type ChatAnswer, type Fields, startFakeChat } from "../../../../test/fakes/openai-chat.ts";
import type { ScriptedReply } from "../../../../test/fakes/scripted-reply.ts";
import type { Json, JsonObject } from "../../../../test/fakes/service.ts";

export interface ChatService {
  readonly baseURL: string;
  /** How many came in. */
  readonly requests: () => number;
  readonly refused: () => readonly string[];
  readonly findings: () => {
    readonly returned: number;
    readonly whole: number;
    readonly foreign: readonly string[];
    readonly broken: readonly BrokenReply[];
  };
  readonly close: () => Promise<void>;
}

/**
 * The fake of Chat Completions with the script of the others. It refuses by itself a reply of its own that comes back without
 * what stood beside it, or with something else: so what was accepted is whole.
 */
export async function startChat(
  mode: "deepseek" | "openrouter",
  { next, opaque }: FakeOptions,
): Promise<ChatService> {
  const foreign: string[] = [];
  let returned = 0;
  const fake = await startFakeChat({
    mode,
    steps: [
      ({ body }) => {
        const text = JSON.stringify(body);
        foreign.push(...opaque.foreignIn(text, mode));
        returned += opaque.ownIn(text, mode);
        return answerOf(next(body as JsonObject), mode, opaque);
      },
    ],
  });
  return {
    baseURL: fake.baseURL,
    requests: () => fake.requests.length,
    refused: () => fake.refusals.map(({ message }) => message),
    findings: () => ({ returned, whole: returned, foreign, broken: [] }),
    close: fake.close,
  };
}

function answerOf(reply: ScriptedReply, mode: "deepseek" | "openrouter", opaque: OpaqueValues): ChatAnswer {
  const thoughts = reply.thoughts ?? [];
  const calls = (reply.calls ?? []).map(({ name, input }) => ({
    id: `call_${randomBytes(12).toString("hex")}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  return {
    kind: "reply",
    message: {
      content: reply.text ?? null,
      ...(thoughts.length === 0 ? {} : thinkingOf(thoughts, mode, opaque)),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  };
}

/** DeepSeek's may be read; what OpenRouter passes on is signed. Both have something of their own that goes to no other. */
function thinkingOf(
  thoughts: readonly string[],
  mode: "deepseek" | "openrouter",
  opaque: OpaqueValues,
): Fields {
  const own = opaque.issue(mode, "thinking");
  if (mode === "deepseek") return { reasoning_content: `${thoughts.join("\n")} ${own}`.trim() };
  const details: Json = [
    {
      type: "reasoning.text",
      text: thoughts.join("\n"),
      signature: own,
      format: "anthropic-claude-v1",
      index: 0,
    },
  ];
  return { reasoning: thoughts.join("\n"), reasoning_details: details };
}
