import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type ModelProvider, run, runStream, type TraceEvent } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { deferred, errorOf, eventsOfType, says, setup, told } from "../support/setup.ts";

async function collect(stream: AsyncIterable<TraceEvent>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

const withoutTimes = (events: readonly TraceEvent[]) =>
  events
    .filter(({ type }) => type !== "llm_delta" && type !== "llm_tool_call_delta")
    .map((event) =>
      JSON.parse(JSON.stringify(told(event), (key, value) => (key === "durationMs" ? 0 : value))),
    );

const echo = createTool({
  name: "echo",
  description: "Repeats",
  parameters: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});
const script = () => [{ toolCalls: [{ name: "echo", arguments: { text: "a b" } }] }, "It says a b."];

describe("runStream", () => {
  it("yields the events of onEvent, and the text of the reply in pieces", async () => {
    const { config, events } = setup({ model: script(), tools: [echo] });
    const stream = runStream(says("Hi"), config);
    const streamed = await collect(stream);
    expect(streamed).toEqual(events);
    const deltas = eventsOfType(streamed, "llm_delta").map(({ text }) => text);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe("It says a b.");
    expect((await stream.result).outcome).toEqual({ status: "completed", output: "It says a b." });
  });

  it("ends like run, with the same messages and events apart from the pieces", async () => {
    const state = says("Hi");
    const plain = setup({ model: script(), tools: [echo] });
    const streamed = setup({ model: script(), tools: [echo] });
    const ended = await run(state, plain.config);
    const stream = runStream(state, streamed.config);
    await stream.result;
    expect(await stream.result).toEqual(ended);
    expect(withoutTimes(streamed.events)).toEqual(withoutTimes(plain.events));
  });

  it("works with a provider that can't stream", async () => {
    const { config } = setup({ model: { getCompletion: async () => ({ message: { content: "Hello." } }) } });
    const stream = runStream(says("Hi"), config);
    expect((await collect(stream)).map(({ type }) => type)).not.toContain("llm_delta");
    expect((await stream.result).outcome).toEqual({ status: "completed", output: "Hello." });
  });

  it("runs to its end if only the result is used", async () => {
    const { config } = setup({ model: ["Hello."] });
    expect((await runStream(says("Hi"), config).result).outcome.status).toBe("completed");
  });

  it("yields events from before the loop began", async () => {
    const { config } = setup({ model: ["Hello."] });
    const stream = runStream(says("Hi"), config);
    await stream.result;
    const types = (await collect(stream)).map(({ type }) => type);
    expect(types[0]).toBe("run_start");
    expect(types.at(-1)).toBe("run_end");
  });

  it("yields each event once, also to a second loop", async () => {
    const { config } = setup({ model: ["Hello."] });
    const stream = runStream(says("Hi"), config);
    await collect(stream);
    expect(await collect(stream)).toEqual([]);
  });

  it("aborts the run if the loop is left early, and waits for its end", async () => {
    let aborted = false;
    const wait = createTool({
      name: "wait",
      description: "Waits for the abort",
      parameters: z.object({}),
      execute: (_args, _context, call) =>
        new Promise<string>((_resolve, reject) => {
          call?.signal.addEventListener("abort", () => {
            aborted = true;
            reject(new Error("stopped"));
          });
        }),
    });
    const model = createScriptedModel([{ toolCalls: [{ name: "wait" }] }, "never said"]);
    const { config, events } = setup({ model, tools: [wait] });
    const stream = runStream(says("Hi"), config);
    for await (const { type } of stream) if (type === "tool_call_start") break;
    expect(events.at(-1)?.type).toBe("run_end");
    expect(aborted).toBe(true);
    expect(errorOf(await stream.result)).toMatchObject({ _tag: "RunAborted" });
    expect(model.requests).toHaveLength(1);
  });

  it("aborts the run if it is left before its first event is read", async () => {
    const hanging = deferred<never>();
    const { config } = setup({ model: { getCompletion: () => hanging.promise } });
    const stream = runStream(says("Hi"), config);
    await stream[Symbol.asyncIterator]().return?.();
    expect(errorOf(await stream.result)).toMatchObject({ _tag: "RunAborted" });
  });

  it("aborts the run if the loop's body throws", async () => {
    const { config } = setup({ model: script(), tools: [echo] });
    const stream = runStream(says("Hi"), config);
    const looping = (async () => {
      for await (const event of stream) throw new Error(event.type);
    })();
    await expect(looping).rejects.toThrow("run_start");
    expect(errorOf(await stream.result)).toMatchObject({ _tag: "RunAborted" });
  });

  it("passes the caller's abort on, with its reason", async () => {
    const controller = new AbortController();
    const hanging = deferred<never>();
    const { config } = setup({
      model: { getCompletion: () => hanging.promise },
      config: { signal: controller.signal },
    });
    const stream = runStream(says("Hi"), config);
    controller.abort(new Error("the user left"));
    expect(errorOf(await stream.result)).toEqual({ _tag: "RunAborted", reason: "the user left" });
  });

  it("leaves no listener on the caller's signal", async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = controller.signal;
    Object.assign(controller.signal, {
      addEventListener: (...args: Parameters<typeof addEventListener>) => {
        listeners += 1;
        addEventListener.apply(controller.signal, args);
      },
      removeEventListener: (...args: Parameters<typeof removeEventListener>) => {
        listeners -= 1;
        removeEventListener.apply(controller.signal, args);
      },
    });
    const { config } = setup({ model: script(), tools: [echo], config: { signal: controller.signal } });
    await runStream(says("Hi"), config).result;
    await run(says("Hi"), { ...config, modelProvider: createScriptedModel(script()) });
    expect(listeners).toBe(0);
  });

  it("closes the provider's stream on an abort", async () => {
    const closed = deferred();
    const started = deferred();
    const model: ModelProvider<unknown> = {
      getCompletion: async () => ({}),
      getCompletionStream: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => {
            started.resolve();
            return new Promise(() => undefined);
          },
          return: async () => {
            closed.resolve();
            return { done: true as const, value: undefined };
          },
        }),
      }),
    };
    const controller = new AbortController();
    const { config } = setup({ model, config: { signal: controller.signal } });
    const stream = runStream(says("Hi"), config);
    await started.promise;
    controller.abort();
    expect(errorOf(await stream.result)).toMatchObject({ _tag: "RunAborted" });
    await closed.promise;
  });
});
