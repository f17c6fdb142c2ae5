import { createInMemoryProvider } from "@jaf/memory";
import { expect, it } from "vitest";
import * as z from "zod";
import { createTool, run } from "../../src/index.ts";
import { inboxWorld, OWNER } from "../support/inbox.ts";
import { assistant, errorOf, says, user } from "../support/setup.ts";
import { seed } from "../support/stores.ts";

it("a run that loads only the end is repeated under many messages that it has taken", async () => {
  const provider = createInMemoryProvider();
  const turns = Array.from({ length: 30 }, (_, turn) => [user(`Question ${turn}`), assistant("Answer")]);
  await seed(provider, turns.flat(), { userId: OWNER });
  const window = { memoryType: "message_window", maxMessages: 4 } as const;
  const world = inboxWorld({ provider, memory: { window } });
  const steering = Array.from({ length: 40 }, (_, number) => `said ${number}`);
  const work = createTool({
    name: "work",
    description: "",
    parameters: z.object({}),
    execute: async () => {
      // The last messages are then a call and what came in during it, and not the run's own input.
      await world.send(...steering.splice(0, steering.length > 1 ? 39 : 1));
      return "worked";
    },
  });
  const working = (id: string) => ({ toolCalls: [{ name: "work", id, arguments: {} }] });
  const state = says("Hi");
  const crashing = world.configured({
    model: [working("a"), working("b"), new Error("crashed")],
    tools: [work],
    config: { modelRetry: { maxAttempts: 1 } },
  });
  errorOf(await run(state, crashing.config));
  const { config } = world.configured({ model: ["Done."] });
  expect((await run(state, config)).outcome).toEqual({ status: "completed", output: "Done." });
  const said = await world.said();
  expect(said.filter((text) => text === "user: Hi")).toHaveLength(1);
  expect(said.slice(-2)).toEqual(["user: said 39", "assistant: Done."]);
});
