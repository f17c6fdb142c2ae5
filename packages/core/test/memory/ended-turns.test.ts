import { createFailure, createInMemoryProvider, createMemoryConnectionError } from "@jaf/memory";
import { expect, it } from "vitest";
import { run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { assistant, errorOf, says, setup, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

it.each(["turn", "step"] as const)(
  "a run whose store went down in its turn doesn't hold up the next of its process: %s",
  async (durability) => {
    const inner = createInMemoryProvider();
    let isDown = false;
    const provider: typeof inner = {
      ...inner,
      appendMessages: (...args) =>
        isDown
          ? Promise.resolve(createFailure(createMemoryConnectionError("test")))
          : inner.appendMessages(...args),
    };
    const goDown = () => {
      isDown = true;
      return "Never stored.";
    };
    const { config } = setup({
      model: createScriptedModel([goDown, "Hello."]),
      config: { memory: { provider, autoStore: true, durability }, conversationId: "c" },
    });
    const state = says("Hi");
    expect(errorOf(await run(state, config))).toMatchObject({
      _tag: "MemoryError",
      error: { _tag: "MemoryConnectionError" },
    });
    isDown = false;
    // The lease of the first lasts for 15 more seconds.
    expect((await run(state, config)).outcome).toMatchObject({ status: "completed", output: "Hello." });
    expect(await storedMessages(inner)).toEqual([user("Hi"), assistant("Hello.")]);
  },
);
