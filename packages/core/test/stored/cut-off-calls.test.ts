import { createInMemoryProvider } from "@jaf/memory";
import { expect, it } from "vitest";
import * as z from "zod";
import { approve, createTool, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { says, setup } from "../support/setup.ts";
import { storedMessages } from "../support/stores.ts";

interface Cut {
  readonly repeatable?: boolean;
  readonly needsApproval?: boolean;
}

/** A stored conversation whose run is aborted while its tool is at work, and what it takes to go on. */
function cutOff({ repeatable, needsApproval = false }: Cut) {
  const provider = createInMemoryProvider();
  const made: string[] = [];
  let controller = new AbortController();
  const pay = createTool({
    name: "pay",
    description: "",
    parameters: z.object({}),
    needsApproval,
    ...(repeatable === undefined ? {} : { repeatable }),
    execute: async (_args, _context, call) => {
      made.push(call?.idempotencyKey ?? "");
      if (made.length > 1) return "paid";
      controller.abort();
      return new Promise<never>(() => undefined);
    },
  });
  const memory = { provider, autoStore: true, durability: "step" } as const;
  const model = createScriptedModel([{ toolCalls: [{ name: "pay", id: "a" }] }, "Done."]);
  const { config } = setup({ model, tools: [pay], config: { memory, conversationId: "c" } });
  const go = (...said: readonly string[]) => {
    controller = new AbortController();
    return run(says(...said), { ...config, signal: controller.signal });
  };
  const resultOf = async () => (await storedMessages(provider)).find(({ role }) => role === "tool")?.content;
  return { made, config, go, resultOf };
}

it("a call that was cut off isn't made again if its tool isn't repeatable", async () => {
  const { made, go, resultOf } = cutOff({ repeatable: false });
  expect((await go("Pay.")).outcome).toMatchObject({ status: "error" });
  expect((await go()).outcome).toMatchObject({ status: "completed" });
  expect(made).toHaveLength(1);
  expect(await resultOf()).toContain("may have been carried out");
});

it.each([true, undefined])("it is made again with the same key if repeatable is %s", async (repeatable) => {
  const { made, go, resultOf } = cutOff(repeatable === undefined ? {} : { repeatable });
  await go("Pay.");
  expect((await go()).outcome).toMatchObject({ status: "completed" });
  expect(made).toHaveLength(2);
  expect(new Set(made).size).toBe(1);
  expect(await resultOf()).toBe("paid");
});

it("a call that only waited for its approval is made, and once it has begun, it isn't again", async () => {
  const { made, go, config, resultOf } = cutOff({ repeatable: false, needsApproval: true });
  const { outcome } = await go("Pay.");
  if (outcome.status !== "interrupted" || outcome.interruptions[0]?.type !== "approval")
    throw new Error("expected an approval to be waited for");
  expect(made).toEqual([]);
  const approvals = [approve(outcome.interruptions[0])];
  const stopped = new AbortController();
  const running = run(says(), { ...config, signal: stopped.signal, resume: { approvals } });
  await expect.poll(() => made).toHaveLength(1);
  stopped.abort();
  expect((await running).outcome).toMatchObject({ status: "error" });
  expect((await go()).outcome).toMatchObject({ status: "completed" });
  expect(made).toHaveLength(1);
  expect(await resultOf()).toContain("may have been carried out");
});
