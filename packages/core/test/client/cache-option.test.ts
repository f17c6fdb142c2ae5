import { describe, expect, it } from "vitest";
import { type CacheableConfig, handoffTool, type RunConfig, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { clientSetup, type Session } from "../support/client.ts";
import { errorOf, says, setup } from "../support/setup.ts";

const known: readonly (CacheableConfig | false)[] = [
  false,
  { tools: true },
  { messages: 4 },
  { messages: "all" },
  { instructions: true, tools: true, ttl: "6h" },
  { instructions: false, messages: 0, ttl: "30m" },
  {},
];
const unknown: readonly unknown[] = [
  ...[true, null, 4, "1h", []],
  ...[
    { tool: true },
    { tools: 1 },
    { messages: -1 },
    { messages: 1.5 },
    { messages: "some" },
    { ttl: "soon" },
    { ttl: 60 },
    { ttl: "0m" },
  ],
];

describe("an agent that is cacheable", () => {
  const cacheable = { instructions: true, messages: "all" } as const;

  it("passes its setting to the model provider, unless a call overrides it", async () => {
    const model = createScriptedModel<Session>(["1", "2", "3"]);
    const { client } = clientSetup({ model, agent: { cacheable } });
    await client.prompt("as declared");
    await client.prompt("one-off", { cache: false });
    await client.prompt("different", { cache: { tools: true } });
    expect(model.requests.map(({ config }) => config.cache)).toEqual([cacheable, false, { tools: true }]);
    expect(model.requests[0]?.agent.cacheable).toEqual(cacheable);
    expect(Object.isFrozen(model.requests[0]?.config.cache)).toBe(true);
  });

  it("doesn't pass it to another agent after a handoff", async () => {
    const toolCalls = [{ name: "handoff", arguments: { agentName: "plain" } }];
    const model = createScriptedModel([{ toolCalls }, "Hello."]);
    const { config } = setup({
      model,
      tools: [handoffTool],
      agent: { cacheable, handoffs: ["plain"] },
      otherAgents: [{ name: "plain", instructions: "Help." }],
    });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
    expect(model.requests.map(({ config }) => config.cache)).toEqual([cacheable, undefined]);
  });

  it("is refused if the setting is invalid", async () => {
    const { config } = setup({ model: [], agent: { cacheable: { tool: true } as CacheableConfig } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "InternalError",
      detail: expect.stringContaining("cacheable: expected"),
    });
  });
});

describe("the option cache of a prompt", () => {
  it.each(known)("is accepted, and handed to the model provider: %j", async (cache) => {
    const model = createScriptedModel<Session>(["Hello.", "Hello."]);
    const { client } = clientSetup({ model });
    expect((await client.prompt("one-off", { cache })).text).toBe("Hello.");
    await client.stream("another").result;
    expect(model.requests.map(({ config }) => config.cache)).toEqual([cache, undefined]);
  });

  it.each(unknown)("is refused if it is invalid: %j", async (cache) => {
    const { client } = clientSetup();
    await expect(client.prompt("Hi", { cache: cache as false })).rejects.toThrow(/cache/);
    const { config } = setup({ model: [], config: { cache } as Partial<RunConfig<unknown>> });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "InternalError",
      detail: expect.stringMatching(/^Invalid RunConfig: cache[.a-z]*: expected /),
    });
  });
});
