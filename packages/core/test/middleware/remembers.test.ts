import { createInMemoryProvider } from "@jaf/memory";
import { afterEach, describe, expect, it } from "vitest";
import { run, setRunUserMemory } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";
import { type Declared, failing, memoryOf, told } from "../support/user-memory.ts";

afterEach(() => setRunUserMemory(undefined));

const alice = { user: "alice" } as const;
const bob = { user: "bob" } as const;
describe("the remembers declaration of a run", () => {
  it.each<[string, Declared, string | undefined]>([
    ["the agent's declaration", { agent: alice }, "alice"],
    ["a declaration by function", { agent: () => alice }, "alice"],
    ["a declaration by async function", { agent: async () => alice }, "alice"],
    ["the call's outranks the agent's", { agent: alice, call: bob }, "bob"],
    ["the call's alone", { call: bob }, "bob"],
    ["the call's by function", { agent: alice, call: async () => bob }, "bob"],
    ["the call opts out", { agent: alice, call: false }, undefined],
    ["the call opts out by function", { agent: alice, call: () => null }, undefined],
    ["the option has no user", { agent: alice, call: { user: undefined } }, undefined],
    ["the declaration has no user", { agent: { user: "" } }, undefined],
    ["the declaration's function returns no user", { agent: () => ({ user: null }) }, undefined],
    ["nothing is declared by function", { agent: () => false }, undefined],
    ["nothing is declared", {}, undefined],
  ])("%s", async (_case, declared, user) => {
    const { memory, asked } = memoryOf();
    const { instructions } = await told({ ...declared, userMemory: memory });
    expect(instructions).toBe(user === undefined ? "Help." : `Help.\n\nfacts of ${user}`);
    expect(asked.map((spec) => spec.user)).toEqual(user === undefined ? [] : [user]);
  });

  it("is evaluated with the context, once per run", async () => {
    const contexts: unknown[] = [];
    const remembers = (context: unknown) => {
      contexts.push(context);
      return alice;
    };
    await told({ agent: remembers, userMemory: memoryOf().memory });
    expect(contexts).toEqual([{}]);
  });

  it("passes the whole declaration to the user memory", async () => {
    const { memory, asked } = memoryOf();
    const spec = {
      user: "alice",
      inject: "auto",
      extract: "auto",
      extractWith: "anthropic/claude-haiku-4-5",
      tags: ["support"],
      injectLimit: 5,
      injectTokenBudget: 400,
    } as const;
    await told({ agent: spec, userMemory: memory });
    expect(asked).toEqual([spec]);
  });

  it("adds its text after that of the run's and the agent's middleware", async () => {
    const model = createScriptedModel(["Hello."]);
    const adding = (instructions: string) => ({ name: "adding", onStart: () => ({ instructions }) });
    const { config } = setup({
      model,
      agent: { remembers: alice, middleware: [adding("Agent.")] },
      config: { userMemory: memoryOf().memory, middleware: [adding("Run.")] },
    });
    await run(says("Hi"), config);
    expect(model.requests[0]?.instructions).toBe("Help.\n\nRun.\n\nAgent.\n\nfacts of alice");
  });

  it("is that of the agent that continues a resumed conversation", async () => {
    const provider = createInMemoryProvider();
    await provider.storeMessages("c", [{ role: "user", content: "Hi" }], { jaf: { agentName: "expert" } });
    const model = createScriptedModel(["Hello."]);
    const { config } = setup({
      model,
      agent: { remembers: alice },
      otherAgents: [{ name: "expert", instructions: () => "Expert.", remembers: bob }],
      config: {
        userMemory: memoryOf().memory,
        memory: { provider, autoStore: true },
        conversationId: "c",
      },
    });
    await run(says(), config);
    expect(model.requests[0]?.instructions).toBe("Expert.\n\nfacts of bob");
  });
});

describe("the user memory", () => {
  it("is the one of the process if the run has none", async () => {
    setRunUserMemory(memoryOf("process").memory);
    expect((await told({ agent: alice })).instructions).toBe("Help.\n\nprocess of alice");
    const userMemory = memoryOf("run").memory;
    expect((await told({ agent: alice, userMemory })).instructions).toBe("Help.\n\nrun of alice");
  });

  it("is optional: without it, remembers has no effect and its function isn't called", async () => {
    const { instructions, events, result } = await told({ agent: failing });
    expect(instructions).toBe("Help.");
    expect(result.outcome.status).toBe("completed");
    expect(eventsOfType(events, "middleware_failed")).toEqual([]);
  });

  it("can be removed", async () => {
    setRunUserMemory(memoryOf().memory);
    setRunUserMemory(undefined);
    expect((await told({ agent: alice })).instructions).toBe("Help.");
  });

  it("of the process is shared by all builds and packages", async () => {
    const slots = globalThis as Record<symbol, unknown>;
    const { memory } = memoryOf();
    setRunUserMemory(memory);
    expect(slots[Symbol.for("@jaf/user-memory")]).toBe(memory);
    slots[Symbol.for("@jaf/user-memory")] = memoryOf("other").memory;
    expect((await told({ agent: alice })).instructions).toBe("Help.\n\nother of alice");
  });

  const bare = { remember: async () => undefined, recall: async () => [], forget: async () => undefined };

  it.each([[bare], [null], ["redis"], [7]])("is refused if it is invalid: %j", async (rubbish) => {
    const hint = "asUserMemory(store) of @jaf/user-memory";
    const set = () => setRunUserMemory(rubbish as never);
    expect(set).toThrow(TypeError);
    expect(set).toThrow(`Invalid user memory: expected a user memory with middlewareFor(); `);
    expect(set).toThrow(hint);
    if (rubbish === null) return;
    const error = errorOf((await told({ userMemory: rubbish as never })).result);
    expect(error).toMatchObject({ _tag: "InternalError", detail: expect.stringContaining(hint) });
    expect(error).toMatchObject({ detail: expect.stringContaining("RunConfig.userMemory") });
  });
});
