import { type Agent, createTool, handoffTool, run, runStream } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ChatMode, ChatStep, FakeChat } from "../../../../test/fakes/openai-chat.ts";
import type { Dialect } from "../../src/index.ts";
import { configOf, fakeChat, providerOf, rich, says } from "../support/setup.ts";

const lookUp = createTool({
  name: "look_up",
  description: "d",
  parameters: z.object({ what: z.string() }),
  execute: async ({ what }) => `Found ${what}.`,
});

const call = (id: string, further: object = {}) => ({
  id,
  type: "function",
  function: { name: "look_up", arguments: '{"what":"it"}' },
  ...further,
});

const signed = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } });

/** The services with replies that their rules are about: a step with two calls, and then an answer. */
const SERVICES: readonly {
  readonly mode: ChatMode;
  readonly dialect: Dialect;
  readonly steps: readonly ChatStep[];
}[] = [
  {
    mode: "openai",
    dialect: "openai",
    steps: [
      { kind: "reply", message: { tool_calls: [call("call_0"), call("call_1")] } },
      { kind: "reply", message: { content: "From OpenAI.", annotations: [{ type: "url_citation" }] } },
    ],
  },
  {
    mode: "deepseek",
    dialect: "deepseek",
    steps: [
      {
        kind: "reply",
        message: {
          reasoning_content: "OPAQUE thinking",
          tool_calls: [call("call_0"), call("call_functions.look_up:1")],
        },
      },
      { kind: "reply", message: { content: "From DeepSeek.", reasoning_content: "OPAQUE more" } },
    ],
  },
  {
    mode: "gemini",
    dialect: "gemini",
    steps: [
      {
        kind: "reply",
        message: { tool_calls: [call("call_0", signed("OPAQUE_c2ln")), call(`call_${"x".repeat(60)}`)] },
      },
      { kind: "reply", message: { content: "From Gemini." } },
    ],
  },
  {
    mode: "openrouter",
    dialect: "compatible",
    steps: [
      {
        kind: "reply",
        message: {
          reasoning: "OPAQUE r",
          reasoning_details: [{ type: "reasoning.encrypted", data: "OPAQUE_data", id: "rs_1", index: 0 }],
          tool_calls: [call("call_0"), call("call_2")],
        },
      },
      {
        kind: "reply",
        message: {
          content: "From OpenRouter.",
          reasoning_details: [{ type: "reasoning.text", text: "OPAQUE t" }],
        },
      },
    ],
  },
];

async function startAll() {
  const services = await Promise.all(
    SERVICES.map(async ({ mode, dialect, steps }) => {
      // Each turn repeats both steps with other ids. All services use the same ids.
      let asked = 0;
      const step: ChatStep = () => {
        const turn = JSON.stringify(steps[asked % steps.length]).replaceAll(
          '"id":"call_',
          `"id":"call_${asked}`,
        );
        asked += 1;
        return JSON.parse(turn);
      };
      const fake = await fakeChat([step], { mode });
      const provider = providerOf(fake, { provider: mode, dialect, model: `${mode}-model` });
      return { mode, fake, provider };
    }),
  );
  return services;
}

/** The opaque fields of other services that a service got. */
const leakedTo = ({
  fake,
  mode,
}: {
  readonly fake: FakeChat;
  readonly mode: ChatMode;
}): readonly string[] => {
  const own = JSON.stringify(SERVICES.find((service) => service.mode === mode)?.steps);
  const sent = JSON.stringify(fake.requests.map(({ messages }) => messages));
  return [...new Set(sent.match(/OPAQUE[\w ]*/g) ?? [])].filter((text) => !own.includes(text));
};

describe("a conversation that moves between services", () => {
  it.each(["whole", "streamed"])(
    "is accepted by all, and returns opaque fields only to their own service (%s)",
    async (way) => {
      const services = await startAll();
      const memory = { provider: createInMemoryProvider(), autoStore: true, userId: "ada" };
      for (const round of [1, 2, 3]) {
        for (const { provider, mode } of services) {
          const { config } = configOf(provider, { tools: [lookUp] }, { memory, conversationId: "c" });
          const state = says(`Round ${round}`);
          const { outcome } =
            way === "whole" ? await run(state, config) : await runStream(state, config).result;
          expect({ mode, round, outcome }).toMatchObject({ outcome: { status: "completed" } });
        }
      }
      expect(services.map(({ fake }) => fake.refusals)).toEqual([[], [], [], []]);
      expect(services.map(leakedTo)).toEqual([[], [], [], []]);
      expect(services.map(({ fake }) => fake.requests.length)).toEqual([6, 6, 6, 6]);
    },
  );

  it("does the same for a handoff inside one run", async () => {
    const [openai, deepseek] = await startAll();
    if (openai === undefined || deepseek === undefined) throw new Error("no services");
    const handoff = {
      id: "call_9",
      type: "function",
      function: { name: "handoff", arguments: '{"agentName":"b"}' },
    };
    const first = await fakeChat([{ kind: "reply", message: { refusal: null, tool_calls: [handoff] } }]);
    const a: Agent<unknown, string> = {
      name: "a",
      instructions: () => "A",
      tools: [handoffTool],
      handoffs: ["b"],
    };
    const b: Agent<unknown, string> = { name: "b", instructions: () => "B", tools: [lookUp] };
    const own = providerOf(first, { provider: "first" });
    const { config } = configOf(
      {
        getCompletion: (state, agent, given) =>
          (agent.name === "a" ? own : deepseek.provider).getCompletion(state, agent, given),
      },
      {},
      {
        agentRegistry: new Map([
          ["a", a],
          ["b", b],
        ]),
      },
    );
    const result = await run<unknown, unknown>({ ...says("Hi"), currentAgentName: "a" }, config);
    expect(result.outcome).toEqual({ status: "completed", output: "From DeepSeek." });
    expect([first.refusals, deepseek.fake.refusals]).toEqual([[], []]);
    expect(rich(result).map(({ origin }) => origin?.provider)).toEqual([
      undefined,
      "first",
      undefined,
      "deepseek",
      undefined,
      undefined,
      "deepseek",
    ]);
  });

  it("treats messages of the same provider's other models as another model's", async () => {
    const message = { content: "Hm.", reasoning_content: "OPAQUE", annotations: [{ a: 1 }] };
    const fake = await fakeChat([{ kind: "reply", message }, "Bye."]);
    const { config } = configOf(providerOf(fake));
    const first = await run(says("Hi"), config);
    const messages = [...first.finalState.messages, { role: "user" as const, content: "And?" }];
    await run({ ...says("And?"), messages }, { ...config, modelOverride: "gpt-other" });
    expect(fake.requests[1]?.messages[2]).toEqual({ role: "assistant", content: "Hm." });
  });

  it("sends readable reasoning as text to another model if the option says so", async () => {
    const fake = await fakeChat(["Ok."]);
    const { config } = configOf(providerOf(fake, { foreignReasoning: "text" }));
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Two.", reasoning_content: "One and one." },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "I know." },
          { type: "text", text: "Sure." },
        ],
      },
      { role: "user", content: "And?" },
    ];
    await run({ ...says(""), messages: messages as never }, config);
    expect(fake.requests[0]?.messages.slice(2, 4)).toEqual([
      { role: "assistant", content: "One and one.\n\nTwo." },
      { role: "assistant", content: "I know.\n\nSure." },
    ]);
  });

  it("leaves out the fields of omitFields", async () => {
    const fake = await fakeChat([
      { kind: "reply", message: { content: "Hm.", reasoning: "because" } },
      "Bye.",
    ]);
    const { config } = configOf(providerOf(fake, { omitFields: ["reasoning"] }));
    const first = await run(says("Hi"), config);
    expect(rich(first)[1]).toMatchObject({ reasoning: "because" });
    const messages = [...first.finalState.messages, { role: "user" as const, content: "And?" }];
    await run({ ...says("And?"), messages }, config);
    expect(fake.refusals).toEqual([]);
    expect(fake.requests[1]?.messages[2]).toEqual({ role: "assistant", content: "Hm." });
  });
});
