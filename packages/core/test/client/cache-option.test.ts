import { describe, expect, it } from "vitest";
import { type CacheableConfig, type RunConfig, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { errorOf, says, setup } from "../support/setup.ts";
import { clientSetup, type Session } from "./support.ts";

const known: readonly (CacheableConfig | false)[] = [
  false,
  { tools: true },
  { messages: 4 },
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
    { ttl: "soon" },
    { ttl: 60 },
    { ttl: "0m" },
  ],
];

describe("the option cache of a prompt", () => {
  it.each(known)("is accepted, and handed to the model provider: %j", async (cache) => {
    const model = createScriptedModel<Session>(["Hello.", "Hello."]);
    const { client } = clientSetup({ model });
    expect((await client.prompt("one-off", { cache })).text).toBe("Hello.");
    await client.stream("another").result;
    expect(model.requests.map(({ config }) => config.cache)).toEqual([cache, undefined]);
  });

  it.each(unknown)("is refused if it is none: %j", async (cache) => {
    const { client } = clientSetup();
    await expect(client.prompt("Hi", { cache: cache as false })).rejects.toThrow(/cache/);
    const { config } = setup({ model: [], config: { cache } as Partial<RunConfig<unknown>> });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "InternalError",
      detail: expect.stringContaining("RunConfig: cache: expected false, or"),
    });
  });
});
