import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { run } from "../../src/index.ts";
import { countCalls } from "../../src/testing/index.ts";
import { recorder } from "../support/middleware.ts";
import { errorOf, eventsOfType, says, setup } from "../support/setup.ts";
import { failing, memoryOf, told } from "../support/user-memory.ts";

const alice = { user: "alice" } as const;

describe("an invalid declaration", () => {
  const bad: readonly (readonly [string, unknown])[] = [
    ["user", { user: 7 }],
    ["user", { user: "a".repeat(256) }],
    ["inject", { user: "u", inject: true }],
    ["extract", { user: "u", extract: "always" }],
    ["extractWith", { user: "u", extractWith: "" }],
    ["tags[0]", { user: "u", tags: [""] }],
    ["injectLimit", { user: "u", injectLimit: 0 }],
    ["injectTokenBudget", { user: "u", injectTokenBudget: 1.5 }],
    ["injectlimit", { user: "u", injectlimit: 5 }],
    ["the whole", "alice"],
  ];

  it.each(bad)("ends the run before anything is loaded, and names %s: %j", async (field, remembers) => {
    const provider = countCalls(createInMemoryProvider());
    const memory = { provider, autoStore: true, durability: "turn" } as const;
    for (const [what, more] of [
      ["RunConfig", { config: { remembers } }],
      ["Agent", { agent: { remembers } }],
    ] as const) {
      const { config } = setup({ model: [], ...(more as object) });
      const whole = { ...config, memory, conversationId: "c", userMemory: memoryOf().memory };
      const error = errorOf(await run(says("Hi"), whole));
      expect(error).toMatchObject({
        _tag: "InternalError",
        detail: expect.stringContaining(`Invalid ${what}.remembers: ${field}: expected`),
      });
    }
    expect(provider.calls).toEqual({});
  });

  it.each(bad)(
    "ends the run before the model is called if a function returns it: %s",
    async (field, spec) => {
      const { result, instructions } = await told({
        agent: () => spec as never,
        userMemory: memoryOf().memory,
      });
      expect(errorOf(result)).toMatchObject({ detail: expect.stringContaining(`Agent.remembers: ${field}`) });
      expect(instructions).toBeUndefined();
    },
  );
});

describe("a declaration that fails", () => {
  it.each([
    ["throws", { agent: failing }],
    ["rejects", { agent: async () => failing() }],
  ])("is reported without its message because it %s, and the run continues", async (_case, declared) => {
    const { instructions, events, result } = await told({ ...declared, userMemory: memoryOf().memory });
    expect(result.outcome.status).toBe("completed");
    expect(instructions).toBe("Help.");
    expect(eventsOfType(events, "middleware_failed")).toEqual([
      { name: "remembers", hook: "onStart", reason: "Error (E_SESSION)" },
    ]);
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  it("doesn't stop other middleware", async () => {
    const { middleware, started, finished } = recorder();
    const { config } = setup({
      model: ["Hello."],
      agent: { remembers: failing },
      config: { middleware: [middleware], userMemory: memoryOf().memory },
    });
    await run(says("Hi"), config);
    expect([started.length, finished.length]).toEqual([1, 1]);
  });

  it("is reported in the same way if the user memory throws", async () => {
    const { events, result } = await told({ agent: alice, userMemory: { middlewareFor: failing } });
    expect(result.outcome.status).toBe("completed");
    expect(eventsOfType(events, "middleware_failed")).toHaveLength(1);
  });

  it("ends the run if the user memory returns invalid middleware", async () => {
    const userMemory = { middlewareFor: () => [{}] as never };
    const { result } = await told({ agent: alice, userMemory });
    expect(errorOf(result)).toMatchObject({ detail: expect.stringContaining("result of middlewareFor()") });
  });
});
