import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type JAFError, run, runStream } from "../../src/index.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/testing/index.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";

const image = { type: "media", mediaType: "image/png", data: "AAE=" };
const search = { type: "provider-tool-call", id: "s1", name: "web_search", input: { q: "x" } };
const found = { type: "provider-tool-result", id: "s1", output: [] };
const refusalPart = { type: "refusal", refusal: "I can't." };

type Row = readonly [what: string, reply: ScriptedReply, output: string];

const completed: readonly Row[] = [
  ["text", { text: "Hi", reasoning: "Hm." }, "Hi"],
  [
    "text in several parts",
    { parts: [{ type: "text", text: "a" }, image, { type: "text", text: "b" }] },
    "a\nb",
  ],
  ["a refusal as a field", { refusal: "I can't." }, "I can't."],
  ["a refusal as a part", { parts: [refusalPart] }, "I can't."],
  ["a text beside a refusal", { text: "But this:", refusal: "I can't." }, "But this:"],
  ["an image", { parts: [image] }, ""],
  ["audio as a field", { fields: { audio: { id: "audio_1" } } }, ""],
  ["a part of an unknown type", { parts: [{ type: "hologram", data: "x" }] }, ""],
  [
    "a tool that the provider has run",
    { parts: [search, found, { type: "text", text: "Found." }] },
    "Found.",
  ],
];

type Failure = readonly [what: string, reply: ScriptedReply, detail: string, calls: number];

const failed: readonly Failure[] = [
  ["nothing", {}, "the reply is empty", 3],
  ["white space", { text: " \n" }, "the reply is empty", 3],
  ["white space in parts", { parts: [{ type: "text", text: " " }] }, "the reply is empty", 3],
  [
    "sources alone",
    { parts: [{ type: "source", id: "s1", sourceType: "url", url: "https://a.example" }] },
    "the reply is empty",
    3,
  ],
  ["reasoning alone", { reasoning: "Hm." }, "it holds reasoning and no answer", 1],
  ["reasoning as a field", { fields: { reasoning_content: "Hm." } }, "it holds reasoning and no answer", 1],
  [
    "the draft of an image alone",
    { parts: [{ type: "reasoning-file", mediaType: "image/png", data: "iVBO" }] },
    "it holds reasoning and no answer",
    1,
  ],
  ["nothing, for its length", { finishReason: "length" }, "the model stopped before it answered: length", 1],
  [
    "reasoning, for its length",
    { reasoning: "Hm.", finishReason: "max_tokens" },
    "the model stopped before it answered: max_tokens",
    1,
  ],
  [
    "an open call of the provider's tool",
    { parts: [search, { type: "hologram", data: "x" }] },
    'its call of the model provider\'s tool "web_search" has no result',
    1,
  ],
  [
    "nothing, for a filter",
    { text: "", finishReason: "content_filter" },
    "the model stopped before it answered: content_filter",
    1,
  ],
  [
    "nothing, for a filter that says why",
    { text: "", finishReason: "content_filter: PROHIBITED_CONTENT" },
    "the model stopped before it answered: content_filter",
    1,
  ],
  [
    "nothing, for GLM's filter",
    { text: "", finishReason: "sensitive" },
    "the model stopped before it answered: sensitive",
    1,
  ],
];

const ways = [
  ["run", run],
  ["runStream", (...given: Parameters<typeof run>) => runStream(...given).result],
] as const;

describe.each(ways)("%s, as the model replies with", (_way, start) => {
  function world(reply: ScriptedReply, agent = {}) {
    const model = createScriptedModel([reply, reply, reply]);
    const provider = createInMemoryProvider();
    const memory = { provider, autoStore: true } as const;
    const { config, events } = setup({ model, agent, config: { memory, conversationId: "c" } });
    const stored = async () => {
      const read = await provider.getConversation("c");
      return read.success ? (read.data?.messages ?? []) : [];
    };
    return { model, config, events, stored };
  }

  it.each(completed)("%s, is completed, and the reply is stored", async (_what, reply, output) => {
    const { config, events, stored } = world(reply);
    const { outcome, finalState } = await start(says("Hi"), config);
    expect(outcome).toEqual({ status: "completed", output });
    expect(await stored()).toEqual(finalState.messages);
    expect(finalState.messages).toHaveLength(2);
    expect(eventsOfType(events, "tool_call_start")).toEqual([]);
    // A repeated run has the same end.
    expect((await start(says(), config)).outcome).toEqual({ status: "completed", output });
  });

  it.each(failed)("%s, fails without repeating it", async (_what, reply, detail, calls) => {
    const { model, config, stored } = world(reply);
    const error = errorOf(await start(says("Hi"), config));
    expect(error).toEqual({ _tag: "ModelBehaviorError", detail });
    expect(model.requests).toHaveLength(calls);
    expect(await stored()).toEqual([]);
  });

  it.each(completed.slice(2, 4))("%s is refused if JSON is expected", async (_what, reply) => {
    const { model, config, stored } = world(reply, { outputCodec: z.object({ sum: z.number() }) });
    const refused: JAFError = { _tag: "ModelRefused", refusal: "I can't." };
    expect(errorOf(await start(says("Hi"), config))).toEqual(refused);
    expect(model.requests).toHaveLength(1);
    expect(await stored()).toEqual([]);
  });
});

describe("the text of a reply that is checked", () => {
  const judging = async (reply: ScriptedReply) => {
    const judged: unknown[] = [];
    const guardrail = (output: unknown) => {
      judged.push(output);
      return { isValid: true } as const;
    };
    const { config } = setup({ model: [reply], config: { finalOutputGuardrails: [guardrail] } });
    await run(says("Hi"), config);
    return judged;
  };

  it("is its text or refusal, without reasoning", async () => {
    expect(await judging({ reasoning: "secret", text: "Hi" })).toEqual(["Hi"]);
    expect(await judging({ parts: [image] })).toEqual([""]);
    expect(await judging({ refusal: "I can't." })).toEqual(["I can't."]);
  });
});

describe("a reply with calls", () => {
  it("runs them, whatever else it contains", async () => {
    const look = createTool({
      name: "look",
      description: "",
      parameters: z.object({}),
      execute: () => "seen",
    });
    const beside: readonly ScriptedReply[] = [
      { reasoning: "Hm." },
      { refusal: "I can't." },
      { finishReason: "length" },
      { parts: [search, found] },
    ];
    for (const reply of beside) {
      const model = createScriptedModel([{ ...reply, toolCalls: [{ name: "look" }] }, "Done."]);
      const { config, events } = setup({ model, tools: [look] });
      expect((await run(says("Hi"), config)).outcome).toEqual({ status: "completed", output: "Done." });
      expect(eventsOfType(events, "tool_call_end")).toMatchObject([{ toolName: "look", result: "seen" }]);
    }
  });
});
