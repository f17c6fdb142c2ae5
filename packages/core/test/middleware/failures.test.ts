import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { type Middleware, run } from "../../src/index.ts";
import { countCalls, createScriptedModel } from "../../src/testing/index.ts";
import { recorder } from "../support/middleware.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";

describe("middleware that fails", () => {
  const quoting = Object.assign(new RangeError("the user said: secret"), { code: "E_QUOTED" });
  const thrower = (thrown: unknown, name = "bad"): Middleware<unknown> => ({
    name,
    onStart: () => {
      throw thrown;
    },
    onFinish: () => Promise.reject(thrown),
  });

  it("is reported by its name and the error's name, without the message, and the run continues", async () => {
    const model = createScriptedModel(["Hello."]);
    const good = recorder({ instructions: "Good." });
    const { config, events } = setup({
      model,
      config: { middleware: [thrower(quoting), good.middleware] },
    });
    const { outcome } = await run(says("Hi"), config);
    expect(outcome).toEqual({ status: "completed", output: "Hello." });
    expect(model.requests[0]?.instructions).toBe("Help.\n\nGood.");
    expect(good.finished).toHaveLength(1);
    expect(eventsOfType(events, "middleware_failed")).toEqual([
      { name: "bad", hook: "onStart", reason: "RangeError (E_QUOTED)" },
      { name: "bad", hook: "onFinish", reason: "RangeError (E_QUOTED)" },
    ]);
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  it.each([
    ["a text", "the user said: secret", "NonError"],
    ["nothing", undefined, "NonError"],
    ["an error whose name is a sentence", Object.assign(new Error(""), { name: "the secret is" }), "Error"],
    ["a tagged error", { _tag: "MemoryConnectionError", message: "secret" }, "MemoryConnectionError"],
    [
      "a value that can't be inspected",
      new Proxy(new Error(""), {
        get: () => {
          throw new Error("secret");
        },
      }),
      "Error",
    ],
  ])("can throw %s", async (_case, thrown, reason) => {
    const { config, events } = setup({ model: ["Hello."], config: { middleware: [thrower(thrown)] } });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(eventsOfType(events, "middleware_failed").map((data) => data.reason)).toEqual([reason, reason]);
  });

  it.each([["a text"], [{ instructions: 7 }], [{ instructions: ["a"] }], [true]])(
    "can return %j, which adds nothing",
    async (rubbish) => {
      const model = createScriptedModel(["Hello."]);
      const middleware = { name: "bad", onStart: () => rubbish as never };
      const { config, events } = setup({ model, config: { middleware: [middleware] } });
      expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
      expect(model.requests[0]?.instructions).toBe("Help.");
      expect(eventsOfType(events, "middleware_failed")).toEqual([
        { name: "bad", hook: "onStart", reason: "it returned no TurnAddition" },
      ]);
    },
  );

  it.each([
    ["RunConfig.middleware: [0].onStart", { config: { middleware: [{ name: "bad", onStart: "start" }] } }],
    ["RunConfig.middleware: [0].name", { config: { middleware: [{ onStart: () => undefined }] } }],
    ["RunConfig.middleware: the whole", { config: { middleware: {} } }],
    ["Agent.middleware: [1]", { agent: { middleware: [recorder().middleware, null] } }],
  ])("is refused before anything is stored if it is invalid: %s", async (field, bad) => {
    const provider = countCalls(createInMemoryProvider());
    const { config, agent = {} } = bad as { config?: object; agent?: object };
    const { config: whole } = setup({
      model: [],
      agent,
      config: { memory: { provider, autoStore: true, durability: "turn" }, conversationId: "c", ...config },
    });
    const error = errorOf(await run(says("Hi"), whole));
    expect(error).toMatchObject({
      _tag: "InternalError",
      detail: expect.stringContaining(`Invalid ${field}`),
    });
    expect(provider.calls).toEqual({});
  });
});
