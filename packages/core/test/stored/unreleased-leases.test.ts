import { createFailure, createInMemoryProvider, createMemoryConnectionError } from "@jaf/memory";
import { expect, it } from "vitest";
import { type MemoryConfig, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { assistant, errorOf, says, setup, user } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

/** A store that refuses writes while it is down, and the configuration of runs on it. */
function failingStore(answer: () => string, memory: Partial<MemoryConfig>) {
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
    return answer();
  };
  const goUp = () => {
    isDown = false;
  };
  const { config } = setup({
    model: createScriptedModel([goDown, "Hello."]),
    config: { memory: { provider, autoStore: true, ...memory }, conversationId: "c" },
  });
  return { inner, config, goUp };
}

it.each(["turn", "step"] as const)(
  "doesn't delay the next run of the process if the store failed during a run: %s",
  async (durability) => {
    const { inner, config, goUp } = failingStore(() => "Never stored.", { durability });
    const state = says("Hi");
    expect(errorOf(await run(state, config))).toMatchObject({
      _tag: "MemoryError",
      error: { _tag: "MemoryConnectionError" },
    });
    goUp();
    // The lease of the first lasts for 15 more seconds.
    expect((await run(state, config)).outcome).toMatchObject({ status: "completed", output: "Hello." });
    expect(await storedMessages(inner)).toEqual([user("Hi"), assistant("Hello.")]);
  },
);

it("doesn't delay the next run of a process if a failed run couldn't release its lease", async () => {
  const fail = () => {
    throw new Error("no model");
  };
  const { config, goUp } = failingStore(fail, { durability: "turn", concurrency: "reject" });
  const state = says("Hi");
  expect(errorOf(await run(state, config))).toMatchObject({ _tag: "ModelCallError" });
  goUp();
  expect((await run(state, config)).outcome).toMatchObject({ status: "completed", output: "Hello." });
});
