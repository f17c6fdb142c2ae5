import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { type Middleware, run, runStream } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { abortable, aborted } from "../support/abort.ts";
import { recorder } from "../support/middleware.ts";
import { deferred, errorOf, eventsOfType, says, setup } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

const never = new Promise<never>(() => undefined);

describe("a run that is aborted", () => {
  it("doesn't wait for a hanging onStart, and calls no model", async () => {
    const { signal, abort } = abortable();
    const model = createScriptedModel([]);
    const hanging: Middleware<unknown> = {
      name: "hanging",
      onStart: () => {
        abort();
        return never;
      },
    };
    const second = recorder();
    const { config, events } = setup({
      model,
      config: { signal, middleware: [hanging, second.middleware] },
    });
    expect(errorOf(await run(says("Hi"), config))).toEqual(aborted);
    expect(model.requests).toEqual([]);
    expect(second.finished).toEqual([]);
    expect(eventsOfType(events, "middleware_failed")).toEqual([]);
  });

  it("doesn't wait for a hanging onFinish, and stays completed", async () => {
    const { signal, abort } = abortable();
    const provider = createInMemoryProvider();
    const hanging: Middleware<unknown> = {
      name: "hanging",
      onFinish: () => {
        abort();
        return never;
      },
    };
    const { config } = setup({
      model: ["Hello."],
      config: {
        signal,
        middleware: [hanging],
        memory: { provider, autoStore: true },
        conversationId: "c",
      },
    });
    expect((await run(says("Hi"), config)).outcome).toEqual({ status: "completed", output: "Hello." });
    expect(await storedMessages(provider)).toHaveLength(2);
  });

  it("passes its signal to the hooks, and emits no failure if they react to it", async () => {
    const { signal, abort } = abortable();
    const heeding: Middleware<unknown> = {
      name: "heeding",
      onStart: async (turn) => {
        abort();
        turn.signal?.throwIfAborted();
        return undefined;
      },
    };
    const { config, events } = setup({ model: [], config: { signal, middleware: [heeding] } });
    expect(errorOf(await run(says("Hi"), config))).toEqual(aborted);
    expect(eventsOfType(events, "middleware_failed")).toEqual([]);
  });

  it("has no unhandled rejection if a hook fails late", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const { signal, abort } = abortable();
    const late = deferred<undefined>();
    const middleware: Middleware<unknown> = {
      name: "late",
      onStart: () => {
        abort();
        return late.promise;
      },
    };
    const { config, events } = setup({ model: [], config: { signal, middleware: [middleware] } });
    await run(says("Hi"), config);
    const count = events.length;
    late.reject(new Error("too late"));
    await new Promise(setImmediate);
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
    expect(events).toHaveLength(count);
  });

  it("doesn't start middleware if it is aborted while the declaration is awaited", async () => {
    const { signal, abort } = abortable();
    const { middleware, started } = recorder();
    const { config } = setup({
      model: [],
      agent: {
        remembers: () => {
          abort();
          return never;
        },
      },
      config: { signal, middleware: [middleware], userMemory: { middlewareFor: () => [] } },
    });
    expect(errorOf(await run(says("Hi"), config))).toEqual(aborted);
    expect(started).toEqual([]);
  });

  it("doesn't wait for hooks if the loop over its stream is left", async () => {
    const hanging: Middleware<unknown> = { name: "hanging", onStart: () => never };
    const stream = runStream(says("Hi"), setup({ model: [], config: { middleware: [hanging] } }).config);
    for await (const event of stream) {
      if (event.type === "run_start") break;
    }
    const { outcome } = await stream.result;
    expect(outcome).toMatchObject({ status: "error", error: { _tag: "RunAborted" } });
  });
});
