import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import {
  createTool,
  type Middleware,
  ModelCallFailure,
  type ModelCallRequest,
  type ModelCompletion,
  type ModelProvider,
  run,
  runStream,
  type TraceEvent,
} from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { abortable } from "../support/abort.ts";
import { deferred, errorOf, eventsOfType, says, setup, user } from "../support/setup.ts";

type Wrap = NonNullable<Middleware<unknown>["wrapModelCall"]>;

const wrapper = (wrapModelCall: Wrap, name = "wrapper"): Middleware<unknown> => ({ name, wrapModelCall });
const reply = (content: string): ModelCompletion => ({ message: { content } });
const busy = (status: number) => Object.assign(new Error("busy"), { status });
const look = createTool({ name: "look", description: "", parameters: z.object({}), execute: () => "seen" });
const pay = createTool({ name: "pay", description: "", parameters: z.object({}), execute: () => "paid" });

function wrapped(steps: readonly ScriptedStep<unknown>[], ...wraps: readonly Wrap[]) {
  const model = createScriptedModel(steps);
  const middleware = wraps.map((wrap) => wrapper(wrap));
  return { model, ...setup({ model, tools: [look, pay], config: { middleware } }) };
}

/** The text that a reader of the stream shows in the end. */
async function shownBy(stream: AsyncIterable<TraceEvent>) {
  const types: string[] = [];
  let text = "";
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === "llm_delta") text += event.data.text;
    if (event.type === "llm_retract") text = "";
  }
  return { text, types };
}

describe("wrapModelCall", () => {
  it("sees the request", async () => {
    let seen: ModelCallRequest<unknown> | undefined;
    const { config } = wrapped(["Hello."], (request, next) => {
      seen = request;
      return next();
    });
    const state = says("Hi");
    const { outcome } = await run(state, { ...config, modelOverride: "large" });
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
    expect(seen).toMatchObject({
      agentName: "helper",
      instructions: "Help.",
      messages: [user("Hi")],
      tools: ["look", "pay"],
      modelConfig: {},
      model: "large",
    });
    expect(seen?.state.runId).toBe(state.runId);
    expect(Object.isFrozen(seen) && Object.isFrozen(seen?.messages)).toBe(true);
  });

  it("changes the request, but not the conversation", async () => {
    const { model, config, events } = wrapped(["Hello."], (_request, next) =>
      next({
        instructions: "Be brief.",
        messages: [user("[redacted]")],
        tools: ["look"],
        modelConfig: { temperature: 0 },
        model: "small",
      }),
    );
    const { finalState } = await run(says("My number is 5"), { ...config, modelOverride: "large" });
    const [request] = model.requests;
    expect(request?.instructions).toBe("Be brief.");
    expect(request?.state.messages).toEqual([user("[redacted]")]);
    expect(request?.agent.tools?.map(({ schema }) => schema.name)).toEqual(["look"]);
    expect(request?.agent.modelConfig).toEqual({ temperature: 0 });
    expect(request?.config.modelOverride).toBe("small");
    expect(eventsOfType(events, "llm_call_start")).toEqual([{ agentName: "helper", model: "small" }]);
    expect(finalState.messages[0]).toEqual(user("My number is 5"));
  });

  it("ignores changes to undefined", async () => {
    const { model, config } = wrapped(["Hello."], (_request, next) =>
      next({ instructions: undefined, messages: undefined, model: undefined } as never),
    );
    await run(says("Hi"), config);
    expect(model.requests[0]).toMatchObject({ instructions: "Help.", state: { messages: [user("Hi")] } });
  });

  it("wraps in order: the run's, then the agent's, and passes changes inwards", async () => {
    const order: string[] = [];
    const noting = (name: string): Middleware<unknown> =>
      wrapper(async ({ instructions }, next) => {
        order.push(`${name} before`);
        const completion = await next({ instructions: `${instructions} ${name}` });
        order.push(`${name} after`);
        return completion;
      }, name);
    const model = createScriptedModel(["Hello."]);
    const { config } = setup({
      model,
      agent: { middleware: [noting("agent")] },
      config: { middleware: [noting("first"), noting("second")] },
    });
    await run(says("Hi"), config);
    expect(model.requests[0]?.instructions).toBe("Help. first second agent");
    expect(order).toEqual([
      "first before",
      "second before",
      "agent before",
      "agent after",
      "second after",
      "first after",
    ]);
  });

  it("wraps each call of a run, after a handoff with the other agent's hooks", async () => {
    const calls: string[] = [];
    const of = (name: string) => [
      wrapper(({ agentName }, next) => {
        calls.push(`${name}: ${agentName}`);
        return next();
      }),
    ];
    const { config } = setup({
      model: [
        { toolCalls: [{ name: "handoff", arguments: { agentName: "clerk" } }] },
        { toolCalls: [{ name: "look" }] },
        "Done.",
      ],
      agent: { handoffs: ["clerk"], middleware: of("helper's") },
      tools: [(await import("../../src/index.ts")).handoffTool],
      otherAgents: [{ name: "clerk", instructions: "", tools: [look], middleware: of("clerk's") }],
      config: { middleware: of("run's") },
    });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(calls).toEqual([
      "run's: helper",
      "helper's: helper",
      "run's: clerk",
      "clerk's: clerk",
      "run's: clerk",
      "clerk's: clerk",
    ]);
  });

  it("answers without calling a model", async () => {
    const { model, config, events } = wrapped([], () => reply("From the cache."));
    const { outcome, finalState } = await run(says("Hi"), config);
    expect(outcome).toEqual({ status: "completed", output: "From the cache." });
    expect(finalState.messages.at(-1)).toEqual({ role: "assistant", content: "From the cache." });
    expect(events.some(({ type }) => type.startsWith("llm_"))).toBe(false);
    model.assertDone();
  });

  it("changes the reply, even in place, and the changed reply is stored", async () => {
    for (const inPlace of [false, true]) {
      const { config } = wrapped(["Call 555."], async (_request, next) => {
        const completion = await next();
        if (!inPlace) return reply("Call [redacted].");
        Object.assign(completion.message ?? {}, { content: "Call [redacted]." });
        return completion;
      });
      const { outcome, finalState } = await run(says("Hi"), config);
      expect(outcome).toMatchObject({ output: "Call [redacted]." });
      expect(JSON.stringify(finalState.messages)).not.toContain("555");
    }
  });

  it("calls the model again with another request, and every call is reported and counted", async () => {
    const { config, events } = wrapped(
      [
        { text: "Bad.", usage: { inputTokens: 1 } },
        { text: "Good.", usage: { inputTokens: 2 } },
      ],
      async ({ instructions }, next) => {
        const first = await next();
        return first.message?.content === "Bad." ? next({ instructions: `${instructions} Better.` }) : first;
      },
    );
    expect((await run(says("Hi"), config)).outcome).toMatchObject({ output: "Good." });
    expect(eventsOfType(events, "llm_call_end").map(({ usage }) => usage?.inputTokens)).toEqual([1, 2]);
    expect(eventsOfType(events, "context")).toHaveLength(1);
  });

  it("gets the model's failure after all retries, and can continue without the model", async () => {
    let failure: unknown;
    const { config } = wrapped([busy(503), busy(503), busy(503)], async (_request, next) => {
      try {
        return await next();
      } catch (thrown) {
        failure = thrown;
        return reply("Please come back later.");
      }
    });
    expect((await run(says("Hi"), config)).outcome).toMatchObject({ output: "Please come back later." });
    expect(failure).toBeInstanceOf(ModelCallFailure);
    expect(failure).toMatchObject({
      status: 503,
      isRetryable: true,
      error: { _tag: "ModelCallError", attempts: 3 },
      cause: { message: "busy" },
    });
  });

  it("doesn't change a failure of the model that it rethrows", async () => {
    const steps = [busy(503), busy(503), busy(400)];
    const plain = setup({ model: steps }).config;
    const { config } = wrapped(steps, async (_request, next) => next());
    expect(errorOf(await run(says("Hi"), config))).toEqual(errorOf(await run(says("Hi"), plain)));
  });

  it.each<[string, Wrap, object]>([
    [
      "throws",
      () => {
        throw busy(429);
      },
      { retryable: true, status: 429, attempts: 0, cause: { message: "busy" } },
    ],
    ["rejects", async () => Promise.reject(new RangeError("a bug")), { retryable: false, attempts: 0 }],
    [
      "throws once the model has replied",
      async (_request, next) => {
        await next();
        throw new Error("refused");
      },
      { attempts: 1, cause: { message: "refused" } },
    ],
    [
      "passes invalid changes",
      (_request, next) => next({ messages: "Hi" } as never),
      { cause: { message: "Invalid changes of a model call: messages" } },
    ],
    [
      "chooses a tool that it doesn't offer",
      (_request, next) => next({ tools: ["look"], modelConfig: { toolChoice: { tool: "pay" } } }),
      { cause: { message: expect.stringContaining('not "pay"') } },
    ],
    [
      "sets an invalid time",
      (_request, next) => next({ modelConfig: { timeoutMs: 0 } }),
      { cause: { message: expect.stringContaining("modelConfig.timeoutMs") } },
    ],
    [
      "asks twice at the same time",
      async (_request, next) => (await Promise.all([next(), next()]))[0] ?? {},
      { cause: { message: expect.stringContaining("still running") } },
    ],
  ])("that %s ends the run with a ModelCallError", async (_what, wrap, error) => {
    const { config } = wrapped(["Hello."], wrap);
    const ended = errorOf(await run(says("Hi"), config));
    expect(ended).toMatchObject({ _tag: "ModelCallError", ...error });
  });

  it.each([[undefined], [{}], ["Hello."], [reply("")]])("is refused if it returns %j", async (rubbish) => {
    const { config } = wrapped([], () => rubbish as never);
    expect(errorOf(await run(says("Hi"), config))._tag).toBe("ModelBehaviorError");
  });

  it("has the time limit of a model call outside of next", async () => {
    let signal: AbortSignal | undefined;
    const { config } = wrapped(["Hello."], async (request, next) => {
      signal = request.signal;
      await next();
      return new Promise<never>(() => {});
    });
    expect(errorOf(await run(says("Hi"), { ...config, timeouts: { modelMs: 20 } }))).toMatchObject({
      _tag: "ModelCallError",
      timeoutMs: 20,
      attempts: 1,
    });
    expect(signal?.aborted).toBe(true);
  });

  it("isn't limited during next, which has its own limits", async () => {
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 15));
      return busy(500);
    };
    const { config } = wrapped([slow, slow, "Hello."], (_request, next) => next());
    expect((await run(says("Hi"), { ...config, timeouts: { modelMs: 25 } })).outcome.status).toBe(
      "completed",
    );
  });

  it("isn't awaited after an abort, and can't call the model any more", async () => {
    const { signal, abort } = abortable();
    let late: Promise<unknown> | undefined;
    const { model, config } = wrapped([], (_request, next) => {
      late = new Promise((resolve) => setTimeout(resolve, 10)).then(() => next());
      abort();
      return new Promise<never>(() => {});
    });
    expect(errorOf(await run(says("Hi"), { ...config, signal }))._tag).toBe("RunAborted");
    await expect(late).rejects.toThrow("enough");
    model.assertDone();
  });

  it("aborts a call that it didn't await", async () => {
    let aborted = false;
    const model = {
      getCompletion: (_state: unknown, _agent: unknown, { signal }: { signal?: AbortSignal }) =>
        new Promise<never>(() => signal?.addEventListener("abort", () => (aborted = true))),
    };
    const { config } = setup({
      model,
      config: {
        middleware: [
          wrapper((_request, next) => {
            next().catch(() => {});
            return reply("First.");
          }),
        ],
      },
    });
    expect((await run(says("Hi"), config)).outcome).toMatchObject({ output: "First." });
    await vi.waitFor(() => expect(aborted).toBe(true));
  });

  it("is called on its middleware, which can be an instance of a class", async () => {
    class Prefix implements Middleware<unknown> {
      readonly name = "prefix";
      readonly #text = "Now: ";
      async wrapModelCall(request: ModelCallRequest<unknown>, next: Parameters<Wrap>[1]) {
        return next({ instructions: this.#text + request.instructions });
      }
    }
    const model = createScriptedModel(["Hello."]);
    const { config } = setup({ model, config: { middleware: [new Prefix()] } });
    await run(says("Hi"), config);
    expect(model.requests[0]?.instructions).toBe("Now: Help.");
  });
});

describe("wrapModelCall in a stream", () => {
  it("streams the text during the reply", async () => {
    const order: string[] = [];
    const { config } = wrapped(["Hello there."], async (_request, next) => {
      const completion = await next();
      order.push("replied");
      return completion;
    });
    const stream = runStream(says("Hi"), {
      ...config,
      onEvent: ({ type }) => void (type === "llm_delta" && order.push(type)),
    });
    expect(await shownBy(stream)).toMatchObject({ text: "Hello there." });
    expect(order).toEqual(["llm_delta", "llm_delta", "replied"]);
  });

  it("retracts the text if it returns another reply", async () => {
    const { config } = wrapped(["Call 555."], async (_request, next) => {
      await next();
      return reply("Call [redacted].");
    });
    const { text, types } = await shownBy(runStream(says("Hi"), config));
    expect(text).toBe("Call [redacted].");
    expect(types.filter((type) => type === "llm_retract")).toHaveLength(1);
  });

  it("retracts the text before the model is called again", async () => {
    const { config } = wrapped(["Bad one.", "Good one."], async (_request, next) => {
      await next();
      return next();
    });
    expect((await shownBy(runStream(says("Hi"), config))).text).toBe("Good one.");
  });

  it("streams the text of a reply that no model gave", async () => {
    const { config } = wrapped([], () => reply("From the cache."));
    expect((await shownBy(runStream(says("Hi"), config))).text).toBe("From the cache.");
  });

  it("retracts the text of a failed call if the hook continues without it", async () => {
    const { config } = wrapped([], async (_request, next) => next().catch(() => reply("Later.")));
    const modelProvider: ModelProvider<unknown> = {
      getCompletion: async () => ({}),
      getCompletionStream: async function* () {
        yield { type: "text_delta", text: "Half a" };
        throw busy(400);
      },
    };
    const { text } = await shownBy(runStream(says("Hi"), { ...config, modelProvider }));
    expect(text).toBe("Later.");
  });

  it("retracts the text of a call that the hook didn't await", async () => {
    const told = deferred();
    const { config } = wrapped([], async (_request, next) => {
      next().catch(() => {});
      await told.promise;
      return reply("First.");
    });
    const modelProvider: ModelProvider<unknown> = {
      getCompletion: async () => ({}),
      getCompletionStream: async function* () {
        yield { type: "text_delta", text: "Half a" };
        told.resolve();
        await new Promise(() => {});
      },
    };
    const { text } = await shownBy(runStream(says("Hi"), { ...config, modelProvider }));
    expect(text).toBe("First.");
  });

  it("holds the text until the output guardrails have passed it", async () => {
    const { config } = wrapped(["Call 555."], async (_request, next) => {
      await next();
      return reply("Call [redacted].");
    });
    const judged: unknown[] = [];
    const finalOutputGuardrails = [
      (output: unknown) => {
        judged.push(output);
        return { isValid: true } as const;
      },
    ];
    const { text, types } = await shownBy(runStream(says("Hi"), { ...config, finalOutputGuardrails }));
    expect([text, judged]).toEqual(["Call [redacted].", ["Call [redacted]."]]);
    expect(types).not.toContain("llm_retract");
  });

  it("retracts the text if the hook refuses the reply", async () => {
    const { config } = wrapped(["Bad one."], async (_request, next) => {
      await next();
      throw new Error("refused");
    });
    expect((await shownBy(runStream(says("Hi"), config))).text).toBe("");
  });
});
