import { randomBytes } from "node:crypto";
import type { BrokenReply } from "../../../../test/fakes/came-back.ts";
import type { FakeOptions } from "../../../../test/fakes/model-service.ts";
import type { OpaqueValues } from "../../../../test/fakes/opaque-values.ts";
import {
  type ChatAnswer,
  type ChatMode,
  type Fields,
  startFakeChat,
} from "../../../../test/fakes/openai-chat.ts";
import type { ScriptedReply } from "../../../../test/fakes/scripted-reply.ts";
import type { JsonObject } from "../../../../test/fakes/service.ts";

export interface ChatService {
  readonly baseURL: string;
  /** The number of requests. */
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
 * The fake of Chat Completions with the script of the others. It refuses its own replies if they come back with missing or
 * changed additional fields, so an accepted reply is complete.
 */
export async function startChat(mode: ChatMode, { next, opaque }: FakeOptions): Promise<ChatService> {
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

function answerOf(
  { thoughts = [], text, calls = [] }: ScriptedReply,
  mode: ChatMode,
  opaque: OpaqueValues,
): ChatAnswer {
  const called = calls.map(({ name, input }) => ({
    id: `call_${randomBytes(12).toString("hex")}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const [first, ...others] = called;
  const signed =
    first !== undefined && mode === "gemini" ? [withSignature(first, opaque), ...others] : called;
  return {
    kind: "reply",
    message: {
      content: text ?? null,
      ...(thoughts.length === 0 ? {} : thinkingOf(thoughts, mode, opaque)),
      ...(signed.length === 0 ? {} : { tool_calls: signed }),
    },
  };
}

const withSignature = (call: Fields, opaque: OpaqueValues): Fields => ({
  ...call,
  extra_content: { google: { thought_signature: opaque.issue("gemini", "call") } },
});

/** DeepSeek's reasoning is readable, OpenRouter's is signed. Both have fields that no other service gets. */
function thinkingOf(thoughts: readonly string[], mode: ChatMode, opaque: OpaqueValues): Fields {
  const text = thoughts.join("\n");
  switch (mode) {
    case "deepseek":
      return { reasoning_content: `${text} ${opaque.issue(mode, "thinking")}`.trim() };
    case "openrouter": {
      const signature = opaque.issue(mode, "thinking");
      const details = [{ type: "reasoning.text", text, signature, format: "anthropic-claude-v1", index: 0 }];
      return { reasoning: text, reasoning_details: details };
    }
    // These don't return their reasoning.
    case "openai":
    case "gemini":
      return {};
  }
}
