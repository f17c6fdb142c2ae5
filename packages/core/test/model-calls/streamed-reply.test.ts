import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  createAgentClient,
  createTool,
  type Guardrail,
  type RunConfig,
  runStream,
  type TraceEvent,
} from "../../src/index.ts";
import type { ScriptedStep } from "../../src/testing/index.ts";
import { abortable, aborted } from "../support/abort.ts";
import { deferred, says, setup, told } from "../support/setup.ts";

const blocking: Guardrail<unknown> = () => ({ isValid: false, errorMessage: "not this" });
const passing: Guardrail<unknown> = () => ({ isValid: true });

interface World {
  readonly steps?: readonly ScriptedStep<unknown>[];
  readonly outputCodec?: z.ZodType;
  readonly config?: Partial<RunConfig<unknown>>;
}

const look = createTool({ name: "look", description: "", parameters: z.object({}), execute: () => "seen" });

const worldOf = ({ steps = ["Hello there."], outputCodec, config = {} }: World) =>
  setup({ model: steps, tools: [look], agent: outputCodec ? { outputCodec } : {}, config }).config;

/** Both ways to stream, with the same events. */
const streams = {
  runStream: (world: World) => runStream(says("Hi"), worldOf(world)),
  "client.stream": (world: World) => {
    const { agentRegistry, onEvent, ...config } = worldOf(world);
    const agent = agentRegistry.get("helper");
    if (agent === undefined) throw new Error("no agent");
    return createAgentClient(agent, { ...config, context: {} }).stream("Hi");
  },
} as const;

async function watch(stream: AsyncIterable<TraceEvent>) {
  const events: TraceEvent[] = [];
  for await (const event of stream) events.push(event);
  const types = events.map(({ type }) => type);
  const text = events.map((event) => (event.type === "llm_delta" ? event.data.text : "")).join("");
  return { events, types, text };
}

describe.each(Object.entries(streams))("the text of %s with an output guardrail", (_name, open) => {
  it("isn't emitted if they block", async () => {
    const stream = open({ config: { finalOutputGuardrails: [blocking] } });
    const { types, text } = await watch(stream);
    expect(text).toBe("");
    expect(types).not.toContain("llm_retract");
    expect((await stream.result).outcome).toMatchObject({ error: { _tag: "OutputGuardrailTripwire" } });
  });

  it("is emitted after they pass, piece by piece, before the message", async () => {
    let judged = false;
    const seen: boolean[] = [];
    const guardrail: Guardrail<unknown> = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      judged = true;
      return { isValid: true };
    };
    const { types, text } = await watch(
      (async function* () {
        for await (const event of open({ config: { finalOutputGuardrails: [guardrail] } })) {
          if (event.type === "llm_delta") seen.push(judged);
          yield event;
        }
      })(),
    );
    expect(text).toBe("Hello there.");
    expect(seen).toEqual([true, true]);
    expect(types.slice(-4)).toEqual(["llm_delta", "llm_delta", "assistant_message", "run_end"]);
  });

  it("isn't emitted if the codec refuses it", async () => {
    const { text, types } = await watch(
      open({ outputCodec: z.number(), config: { finalOutputGuardrails: [passing] } }),
    );
    expect([text, types.includes("llm_retract")]).toEqual(["", false]);
  });

  it("is emitted immediately and retracted with unguardedText retract", async () => {
    const config = { finalOutputGuardrails: [blocking], unguardedText: "retract" } as const;
    const { events, types, text } = await watch(open({ config }));
    expect(text).toBe("Hello there.");
    expect(types.slice(-5)).toEqual([
      "llm_delta",
      "llm_call_end",
      "guardrail_tripped",
      "llm_retract",
      "run_end",
    ]);
    expect(told(events.find(({ type }) => type === "llm_retract"))).toEqual({
      type: "llm_retract",
      data: { agentName: "helper" },
    });
  });

  it("is emitted immediately and stays if it passes", async () => {
    const config = { finalOutputGuardrails: [passing], unguardedText: "retract" } as const;
    const { types, text } = await watch(open({ config }));
    expect([text, types.includes("llm_retract")]).toEqual(["Hello there.", false]);
    expect(types.indexOf("llm_delta")).toBeLessThan(types.indexOf("llm_call_end"));
  });

  it("is emitted with tool calls when their reply is complete, before they run", async () => {
    const steps = [{ text: "I look.", toolCalls: [{ name: "look" }] }, "Done."];
    const { types, text } = await watch(open({ steps, config: { finalOutputGuardrails: [passing] } }));
    expect(text).toBe("I look.Done.");
    const told = types.filter((type) => /^(llm_call_end|llm_delta|tool_call_start)$/.test(type));
    expect(told).toEqual([
      ...["llm_call_end", "llm_delta", "llm_delta", "tool_call_start"],
      ...["llm_call_end", "llm_delta"],
    ]);
  });
});

describe("the text of a stream", () => {
  it("isn't emitted for a failed attempt if it is held, so there is nothing to discard", async () => {
    let calls = 0;
    const { config } = setup({
      model: {
        getCompletion: () => new Promise<never>(() => undefined),
        getCompletionStream: async function* () {
          calls += 1;
          yield { type: "text_delta", text: `try ${calls}` };
          if (calls === 2) yield { type: "done" };
        },
      },
      config: { finalOutputGuardrails: [passing] },
    });
    const { events, text } = await watch(runStream(says("Hi"), config));
    expect(text).toBe("try 2");
    expect(events.find(({ type }) => type === "llm_retry")?.data).toMatchObject({ discardText: false });
  });

  it("is emitted immediately without output guardrails, and retracted if the codec refuses it", async () => {
    const { types, text } = await watch(
      streams.runStream({ outputCodec: z.number(), config: { outputRepairs: 0 } }),
    );
    expect(text).toBe("Hello there.");
    expect(types.slice(-3)).toEqual(["llm_call_end", "llm_retract", "run_end"]);
  });

  it("isn't emitted if the run is aborted during the guardrails", async () => {
    const { signal, abort } = abortable();
    const reached = deferred();
    const hanging: Guardrail<unknown> = () => {
      reached.resolve();
      return new Promise<never>(() => undefined);
    };
    const stream = streams.runStream({ config: { signal, finalOutputGuardrails: [hanging] } });
    const watching = watch(stream);
    await reached.promise;
    abort();
    expect((await watching).text).toBe("");
    expect((await stream.result).outcome).toMatchObject({ error: aborted });
  });

  it.each(["later", null, true])("is refused to be treated otherwise: %s", async (unguardedText) => {
    const config = { unguardedText } as unknown as Partial<RunConfig<unknown>>;
    expect((await streams.runStream({ config }).result).outcome).toMatchObject({
      error: {
        _tag: "InternalError",
        detail: 'Invalid RunConfig: unguardedText: expected "hold" or "retract".',
      },
    });
    expect(() => streams["client.stream"]({ config })).toThrow("unguardedText");
  });
});
