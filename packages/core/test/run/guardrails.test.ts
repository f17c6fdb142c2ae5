import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Guardrail, run } from "../../src/index.ts";
import { countCalls, createScriptedModel } from "../../src/testing/index.ts";
import { assistant, calling, errorOf, eventsOfType, result, says, setup, user } from "../support/setup.ts";

const blocking: Guardrail<unknown> = () => ({ isValid: false, errorMessage: "not this" });
const passing: Guardrail<unknown> = () => ({ isValid: true });

function recording(): { readonly guardrail: Guardrail<unknown>; readonly seen: unknown[] } {
  const seen: unknown[] = [];
  return {
    seen,
    guardrail: (input) => {
      seen.push(input);
      return { isValid: true };
    },
  };
}

const failing: readonly (readonly [string, Guardrail<unknown>, string])[] = [
  [
    "throws",
    () => {
      throw new RangeError("the moderation service is out of reach");
    },
    "a guardrail failed with RangeError: the moderation service is out of reach",
  ],
  [
    "rejects",
    () => Promise.reject(new Error("401 for key sk-proj-abcdefgh1234567890abcd")),
    "a guardrail failed with Error: 401 for key [masked]",
  ],
  [
    "throws no Error",
    () => {
      throw "nonsense";
    },
    "a guardrail failed with string",
  ],
  ["returns nothing", () => undefined as never, "a guardrail returned no verdict"],
  ["returns true", () => true as never, "a guardrail returned no verdict"],
  ["gives no reason", () => ({ isValid: false }) as never, "a guardrail gave no reason"],
];

describe("the reason of a guardrail that throws", () => {
  const said = "my diagnosis is a rare one";
  const reasonFor = async (guardrail: Guardrail<unknown>) => {
    const { config, events } = setup({ model: [], config: { initialInputGuardrails: [guardrail] } });
    const error = errorOf(await run(says(said), config));
    expect(eventsOfType(events, "guardrail_tripped")).toMatchObject([
      error._tag === "InputGuardrailTripwire" ? { reason: error.reason } : {},
    ]);
    return error._tag === "InputGuardrailTripwire" ? error.reason : "";
  };

  it("leaves out a message that quotes the checked value", async () => {
    expect(await reasonFor((input) => JSON.parse(String(input)))).toBe("a guardrail failed with SyntaxError");
    const quoting: Guardrail<unknown> = (input) => {
      throw new TypeError(`can't read ${JSON.stringify({ input })}`);
    };
    expect(await reasonFor(quoting)).toBe("a guardrail failed with TypeError");
  });

  it("is one line of limited length", async () => {
    const long: Guardrail<unknown> = () => {
      throw new Error(`first\nsecond ${"x".repeat(10_000)}`);
    };
    const reason = await reasonFor(long);
    expect(reason).toContain("Error: first second xxx");
    expect(reason.length).toBeLessThan(350);
  });
});

describe("an input guardrail", () => {
  it("ends the run before the model is called if it blocks", async () => {
    const model = createScriptedModel([]);
    const { config, events } = setup({ model, config: { initialInputGuardrails: [blocking] } });
    expect(errorOf(await run(says("Hi"), config))).toEqual({
      _tag: "InputGuardrailTripwire",
      reason: "not this",
    });
    expect(model.requests).toHaveLength(0);
    expect(eventsOfType(events, "guardrail_tripped")).toEqual([{ stage: "input", reason: "not this" }]);
  });

  it.each(failing)("that %s blocks", async (_what, guardrail, reason) => {
    const { config } = setup({ model: [], config: { initialInputGuardrails: [guardrail] } });
    expect(errorOf(await run(says("Hi"), config))).toEqual({ _tag: "InputGuardrailTripwire", reason });
  });

  it("can be async", async () => {
    const { config } = setup({
      model: ["Hello."],
      config: { initialInputGuardrails: [async () => ({ isValid: true })] },
    });
    expect((await run(says("Hi"), config)).outcome.status).toBe("completed");
  });

  it("isn't called after an earlier one has blocked", async () => {
    const { guardrail, seen } = recording();
    const { config } = setup({
      model: [],
      config: { initialInputGuardrails: [passing, blocking, guardrail] },
    });
    await run(says("Hi"), config);
    expect(seen).toEqual([]);
  });

  it("gets the newest user messages and the context, not the earlier history", async () => {
    const { guardrail, seen } = recording();
    const contexts: unknown[] = [];
    const withContext: Guardrail<string> = (_input, context) => {
      contexts.push(context);
      return { isValid: true };
    };
    const { config } = setup({
      model: ["Hello."],
      config: { initialInputGuardrails: [guardrail, withContext] },
    });
    const state = { ...says("old", assistant("reply"), "new", "and newer"), context: { userId: "u1" } };
    await run(state, config);
    expect(seen).toEqual(["new\nand newer"]);
    expect(contexts).toEqual([{ userId: "u1" }]);
  });

  it("gets the last user messages, whatever follows them", async () => {
    for (const behind of [assistant("reply"), calling(["forged", "tool"]), result("forged", "x")]) {
      const { guardrail, seen } = recording();
      const { config } = setup({ model: ["Hello."], config: { initialInputGuardrails: [guardrail] } });
      await run(says("old", assistant("one"), "said", "last", behind), config);
      expect(seen).toEqual(["said\nlast"]);
    }
  });

  it("gets user messages before a dropped message, too", async () => {
    const { guardrail, seen } = recording();
    const { config } = setup({ model: ["Hello."], config: { initialInputGuardrails: [guardrail] } });
    await run(says("bad", calling(["forged", "tool"]), "good"), config);
    expect(seen).toEqual(["bad\ngood"]);
  });

  it("isn't called without user messages", async () => {
    const { guardrail, seen } = recording();
    const { config } = setup({ model: ["Hello."], config: { initialInputGuardrails: [guardrail] } });
    await run(says(assistant("reply")), config);
    expect(seen).toEqual([]);
  });

  it("gets every user message that isn't stored yet, also those before a caller's reply", async () => {
    const { guardrail, seen } = recording();
    const provider = createInMemoryProvider();
    await provider.storeMessages("c", [user("stored")]);
    const { config } = setup({
      model: ["Hello."],
      config: {
        initialInputGuardrails: [guardrail],
        memory: { provider, autoStore: true },
        conversationId: "c",
      },
    });
    await run(says("stored", "smuggled", assistant("sure"), "harmless"), config);
    expect(seen).toEqual(["smuggled\nharmless"]);
  });

  it.each(["completed", "turn", "step"] as const)(
    "that blocks keeps the message out of the store: %s",
    async (durability) => {
      const provider = countCalls(createInMemoryProvider());
      const { config } = setup({
        model: [],
        config: {
          initialInputGuardrails: [blocking],
          memory: { provider, autoStore: true, durability },
          conversationId: "c",
        },
      });
      await run(says("Hi"), config);
      expect(provider.calls).toEqual({ readConversation: 1 });
    },
  );
});

describe("an output guardrail", () => {
  it("gets the decoded output", async () => {
    const { guardrail, seen } = recording();
    const { config } = setup({
      model: ['{"n": 1}'],
      agent: { outputCodec: z.object({ n: z.number() }) },
      config: { finalOutputGuardrails: [guardrail] },
    });
    await run(says("Hi"), config);
    expect(seen).toEqual([{ n: 1 }]);
  });

  it("keeps the reply out of the conversation if it blocks", async () => {
    const { config, events } = setup({ model: ["Hello."], config: { finalOutputGuardrails: [blocking] } });
    const ended = await run(says("Hi"), config);
    expect(errorOf(ended)).toEqual({ _tag: "OutputGuardrailTripwire", reason: "not this" });
    expect(ended.finalState.messages).toEqual([user("Hi")]);
    expect(eventsOfType(events, "guardrail_tripped")).toEqual([{ stage: "output", reason: "not this" }]);
    expect(eventsOfType(events, "assistant_message")).toEqual([]);
  });

  it.each(failing)("that %s blocks", async (_what, guardrail, reason) => {
    const { config } = setup({ model: ["Hello."], config: { finalOutputGuardrails: [guardrail] } });
    expect(errorOf(await run(says("Hi"), config))).toEqual({ _tag: "OutputGuardrailTripwire", reason });
  });

  it.each([
    ["completed", []],
    ["turn", [user("Hi")]],
    ["step", [user("Hi")]],
  ] as const)("that blocks keeps the reply out of the store: %s", async (durability, left) => {
    const provider = createInMemoryProvider();
    const { config } = setup({
      model: ["Hello."],
      config: {
        finalOutputGuardrails: [blocking],
        memory: { provider, autoStore: true, durability },
        conversationId: "c",
      },
    });
    await run(says("Hi"), config);
    expect(await provider.getRecentMessages("c")).toMatchObject({ data: left });
  });
});
