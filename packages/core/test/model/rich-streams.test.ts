import type { ContentPart, RichMessage } from "@jaf/memory";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  createTool,
  type Guardrail,
  type ModelCompletion,
  type ModelStreamChunk,
  run,
  runStream,
  type TraceEvent,
} from "../../src/index.ts";
import { collectStream } from "../../src/model/stream.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/testing/index.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";

async function* stream(...chunks: readonly ModelStreamChunk[]): AsyncGenerator<ModelStreamChunk> {
  yield* chunks;
}

const collect = (...chunks: readonly ModelStreamChunk[]): Promise<ModelCompletion> =>
  collectStream(stream(...chunks, { type: "done" }), { signal: undefined, onText: () => undefined });

const text = (piece: string): ModelStreamChunk => ({ type: "text_delta", text: piece });
const thought = (piece: string, id?: string): ModelStreamChunk =>
  id === undefined ? { type: "reasoning_delta", text: piece } : { type: "reasoning_delta", text: piece, id };
const call = (index: number, id: string): ModelStreamChunk => ({
  type: "tool_call_delta",
  index,
  id,
  name: "look",
  arguments: "{}",
});
const image: ContentPart = { type: "media", mediaType: "image/png", data: "AAE=" };
const part: ModelStreamChunk = { type: "part", part: image };

describe("the parts of a streamed reply", () => {
  it("keep their order, and consecutive pieces form one part", async () => {
    const { message } = await collect(
      ...[thought("I "), thought("look.", undefined), text("Lo"), text("ok: "), part, text("nice")],
      ...[thought("a", "1"), thought("b", "2")],
    );
    expect(message?.content).toEqual([
      { type: "reasoning", text: "I look." },
      { type: "text", text: "Look: " },
      image,
      { type: "text", text: "nice" },
      { type: "reasoning", text: "a", id: "1" },
      { type: "reasoning", text: "b", id: "2" },
    ]);
  });

  it("become a text if there is only text and calls", async () => {
    const { message } = await collect(text("a"), call(0, "x"), text("b"));
    expect(message?.content).toBe("ab");
    expect((await collect(call(0, "x"))).message?.content).toBe("");
  });

  it("mark the place of a call if a part follows", async () => {
    const { message } = await collect(thought("1"), call(0, "x"), thought("2"), call(1, "y"), call(0, ""));
    expect(message?.content).toEqual([
      { type: "reasoning", text: "1" },
      { type: "tool-call", id: "x" },
      { type: "reasoning", text: "2" },
    ]);
    expect(message?.tool_calls?.map(({ id }) => id)).toEqual(["x", "y"]);
  });

  it("are ignored if the stream ends with the whole message", async () => {
    const message = { content: "All of it.", reasoning_content: "Hm." };
    const origin = { provider: "p", api: "chat", model: "m" };
    const done: ModelStreamChunk = { type: "done", message, origin, finishReason: "stop" };
    const chunks = stream(thought("H"), text("All"), done);
    expect(await collectStream(chunks, { signal: undefined, onText: () => undefined })).toEqual({
      message,
      origin,
      finish_reason: "stop",
    });
  });
});

const look = createTool({ name: "look", description: "", parameters: z.object({}), execute: () => "seen" });

const full: ScriptedReply = {
  reasoning: "I look first.",
  text: "Let me look.",
  parts: [image, { type: "text", text: "Like this." }],
  origin: { provider: "p", api: "chat", model: "m" },
};

async function watch(config: Parameters<typeof runStream>[1]) {
  const watched = runStream(says("Hi"), config);
  const events: TraceEvent[] = [];
  for await (const event of watched) events.push(event);
  return { events, types: events.map(({ type }) => type), ended: await watched.result };
}

const PIECES: readonly TraceEvent["type"][] = ["llm_delta", "llm_reasoning_delta", "llm_part"];

describe("an observed stream", () => {
  it("makes the same message as the whole reply, and emits its pieces", async () => {
    const steps = [
      { ...full, toolCalls: [{ name: "look" }] },
      { refusal: "I can't.", reasoning: "No." },
    ];
    const whole = await run(says("Hi"), setup({ model: steps, tools: [look] }).config);
    const { events, ended } = await watch(setup({ model: steps, tools: [look] }).config);
    expect(ended.finalState.messages).toEqual(whole.finalState.messages);
    const thoughts = eventsOfType(events, "llm_reasoning_delta");
    expect(thoughts.map((data) => data.text).join("")).toBe("I look first.No.");
    expect(thoughts[0]).toEqual({ agentName: "helper", text: "I " });
    expect(
      eventsOfType(events, "llm_delta")
        .map((data) => data.text)
        .join(""),
    ).toBe("Let me look.Like this.");
    expect(eventsOfType(events, "llm_part")[0]).toEqual({ agentName: "helper", part: image });
  });

  const blocking: Guardrail<unknown> = () => ({ isValid: false, errorMessage: "no" });
  const passing: Guardrail<unknown> = () => ({ isValid: true });

  it("holds all pieces until the reply has passed the guardrails", async () => {
    const held = (guardrail: Guardrail<unknown>) =>
      watch(setup({ model: [full], config: { finalOutputGuardrails: [guardrail] } }).config);
    const blocked = await held(blocking);
    expect(blocked.types.filter((type) => PIECES.includes(type))).toEqual([]);
    const { types } = await held(passing);
    const first = types.findIndex((type) => PIECES.includes(type));
    expect(first).toBeGreaterThan(types.indexOf("llm_call_end"));
    expect(new Set(types.filter((type) => PIECES.includes(type)))).toEqual(new Set(PIECES));
  });

  it("retracts pieces that were emitted, also without text", async () => {
    const config = { finalOutputGuardrails: [blocking], unguardedText: "retract" } as const;
    const { types } = await watch(setup({ model: [{ parts: [image] }], config }).config);
    expect(types.filter((type) => type === "llm_part" || type === "llm_retract")).toEqual([
      "llm_part",
      "llm_retract",
    ]);
  });

  it("reports that the pieces of a failed attempt must be discarded", async () => {
    const { events, ended } = await watch(
      setup({ model: [{ chunks: [thought("H")] }, { text: "Hi" }] }).config,
    );
    expect(eventsOfType(events, "llm_retry")).toMatchObject([{ discardText: true }]);
    expect(ended.finalState.messages.at(-1)).toEqual({ role: "assistant", content: "Hi" });
  });

  it("can't change the message through an emitted part", async () => {
    const shown = { ...image };
    const { config } = setup({
      model: [{ parts: [shown] }],
      config: {
        onEvent: (event) => {
          if (event.type === "llm_part") Reflect.set(event.data.part, "data", "changed");
        },
      },
    });
    const { finalState } = await runStream(says("Hi"), config).result;
    const last: RichMessage | undefined = finalState.messages.at(-1);
    expect(last?.content).toContainEqual(image);
  });

  it("isn't a reply if it is cut off anywhere, and adds nothing to the conversation", async () => {
    const chunks = [thought("H"), text("a"), part, call(0, "x"), text("b"), { type: "done" } as const];
    await fc.assert(
      fc.asyncProperty(fc.nat(chunks.length - 1), async (length) => {
        const model = createScriptedModel([{ chunks: chunks.slice(0, length) }]);
        const { config } = setup({ model, config: { modelRetry: { maxAttempts: 1 } } });
        const ended = await runStream(says("Hi"), config).result;
        expect(errorOf(ended)).toMatchObject({ _tag: "ModelCallError", cause: { name: "TruncatedStream" } });
        expect(ended.finalState.messages).toHaveLength(1);
      }),
    );
  });
});
