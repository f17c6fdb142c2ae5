import { createAnthropic } from "@ai-sdk/anthropic";
import { createAiSdkProvider } from "@jaf/ai-sdk";
import { createAnthropicProvider } from "@jaf/anthropic";
import { createRunState, createTool, type ModelProvider, type RunConfig, run } from "@jaf/core";
import { createGoogleProvider, GoogleCacheRegistry } from "@jaf/google";
import { createInMemoryProvider } from "@jaf/memory";
import { createOpenAIProvider, createOpenAIResponsesProvider } from "@jaf/openai";
import { MemoryUserMemory } from "@jaf/user-memory";
import { expect, it } from "vitest";
import * as z from "zod";

/** A model's reply: a text, or a call that looks up a room. */
type Step = { readonly say: string } | { readonly look: string };
type Json = Readonly<Record<string, unknown>>;
type Fetch = typeof fetch;

interface Service {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: it doesn't use the context
  readonly provider: (fetch: Fetch) => ModelProvider<any>;
  readonly reply: (step: Step) => Json;
}

const messagesReply = (step: Step): Json => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content: [
    "say" in step
      ? { type: "text", text: step.say }
      : { type: "tool_use", id: "toolu_1", name: "look", input: { room: step.look } },
  ],
  stop_reason: "say" in step ? "end_turn" : "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

const services: readonly Service[] = [
  {
    name: "anthropic",
    provider: (fetch) => createAnthropicProvider({ apiKey: "key", model: "claude-sonnet-4-5", fetch }),
    reply: messagesReply,
  },
  {
    name: "ai-sdk-anthropic",
    provider: (fetch) => createAiSdkProvider(createAnthropic({ apiKey: "key", fetch })("claude-sonnet-4-5")),
    reply: messagesReply,
  },
  {
    name: "openai-chat",
    provider: (fetch) => createOpenAIProvider({ apiKey: "key", model: "gpt-5-mini", fetch }),
    reply: (step) => ({
      id: "chatcmpl_1",
      object: "chat.completion",
      model: "gpt-5-mini",
      choices: [
        {
          index: 0,
          finish_reason: "say" in step ? "stop" : "tool_calls",
          message:
            "say" in step
              ? { role: "assistant", content: step.say }
              : {
                  role: "assistant",
                  content: null,
                  tool_calls: [
                    {
                      id: "call_1",
                      type: "function",
                      function: { name: "look", arguments: JSON.stringify({ room: step.look }) },
                    },
                  ],
                },
        },
      ],
    }),
  },
  {
    name: "openai-responses",
    provider: (fetch) => createOpenAIResponsesProvider({ apiKey: "key", model: "gpt-5-mini", fetch }),
    reply: (step) => ({
      id: "resp_1",
      object: "response",
      status: "completed",
      model: "gpt-5-mini",
      output: [
        "say" in step
          ? {
              id: "msg_1",
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: step.say, annotations: [] }],
            }
          : {
              id: "fc_1",
              type: "function_call",
              status: "completed",
              call_id: "call_1",
              name: "look",
              arguments: JSON.stringify({ room: step.look }),
            },
      ],
    }),
  },
  {
    name: "google",
    provider: (fetch) =>
      createGoogleProvider({
        apiKey: "key",
        model: "gemini-3-pro-preview",
        fetch,
        cacheRegistry: new GoogleCacheRegistry({ store: keptByName() }),
      }),
    reply: (step) => ({
      candidates: [
        {
          content: {
            role: "model",
            parts: [
              "say" in step
                ? { text: step.say }
                : { functionCall: { name: "look", args: { room: step.look } }, thoughtSignature: "c2ln" },
            ],
          },
          finishReason: "STOP",
        },
      ],
    }),
  },
];

function keptByName() {
  const values = new Map<string, string>();
  return {
    get: async (key: string) => values.get(key),
    set: async (key: string, value: string) => void values.set(key, value),
    delete: async (key: string) => void values.delete(key),
    setIfAbsent: async (key: string, value: string) =>
      !values.has(key) && values.set(key, value) !== undefined,
  };
}

const look = createTool({
  name: "look",
  description: "Looks a room up.",
  parameters: z.object({ room: z.string() }),
  execute: async ({ room }) => `${room} is free.`,
});

/** Two turns of one conversation, the second with a tool step, for a user with known facts. */
async function requestsTo({ provider, reply }: Service): Promise<readonly Json[]> {
  const steps: Step[] = [{ say: "Hello." }, { look: "Room 1" }, { say: "It is free." }];
  const bodies: Json[] = [];
  const userMemory = new MemoryUserMemory();
  await userMemory.remember("ada", "Prefers a quiet room");
  const modelProvider = provider(async (input, init) => {
    bodies.push(JSON.parse(String(init?.body)) as Json);
    if (String(input instanceof Request ? input.url : input).includes("cachedContents"))
      return Response.json({ name: "cachedContents/one" });
    return Response.json(reply(steps.shift() as Step));
  });
  const config: RunConfig<unknown> = {
    agentRegistry: new Map([
      [
        "desk",
        {
          name: "desk",
          instructions: "You are the desk of a hotel.",
          tools: [look],
          cacheable: { instructions: true, tools: true, messages: "all" },
          remembers: { user: "ada" },
        },
      ],
    ]),
    modelProvider,
    modelRetry: { maxAttempts: 1 },
    userMemory,
    conversationId: "c",
    memory: { provider: createInMemoryProvider(), autoStore: true, userId: "ada" },
  };
  for (const content of ["A quiet room, please.", "Is room 1 quiet?"]) {
    const state = createRunState({ agentName: "desk", context: {}, messages: [{ role: "user", content }] });
    expect((await run(state, config)).outcome).toMatchObject({ status: "completed" });
  }
  return bodies;
}

it.each(services)("request bodies and stored messages: $name", async (service) => {
  const bodies = (await requestsTo(service)).map((body) => JSON.stringify(body, null, 2));
  await expect(bodies.join("\n\n")).toMatchFileSnapshot(`request-bodies/${service.name}.txt`);
});
