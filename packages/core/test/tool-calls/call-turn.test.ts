import { createInMemoryProvider } from "@jaf/memory";
import { expect, it } from "vitest";
import * as z from "zod";
import { approve, createTool, run, type ToolCallTurn } from "../../src/index.ts";
import { assistant, says, setup, user } from "../support/setup.ts";

const note = (seen: ToolCallTurn[], needsApproval = false) =>
  createTool({
    name: "note",
    description: "",
    parameters: z.object({}),
    needsApproval,
    execute: (_args, _context, call) => {
      if (call !== undefined) seen.push(call.turn);
      return "noted";
    },
  });
const calls = { toolCalls: [{ name: "note", arguments: {} }] };

it("passes the user's last messages to a tool in each call of a turn", async () => {
  const seen: ToolCallTurn[] = [];
  const { config } = setup({ model: [calls, calls, "Done."], tools: [note(seen)] });
  const before = Date.now();
  await run(says("Hello", assistant("Hi."), "I like tea.", "And cake."), config);
  expect(seen).toHaveLength(2);
  for (const { userMessages: said, position, conversationId, startedAt } of seen) {
    expect(said).toEqual([user("I like tea."), user("And cake.")]);
    expect([position, conversationId]).toEqual([undefined, undefined]);
    expect(startedAt).toBeGreaterThanOrEqual(before);
  }
  expect(seen.map(({ messages }) => messages.length)).toEqual([4, 6]);
  expect(Object.isFrozen(seen[0]?.userMessages) && Object.isFrozen(seen[0]?.messages)).toBe(true);
});

it("passes them from the stored conversation and after an approval, too", async () => {
  const seen: ToolCallTurn[] = [];
  const memory = { provider: createInMemoryProvider(), autoStore: true };
  const at = { memory, conversationId: "c" };
  const first = setup({ model: ["Hi."], config: at });
  await run(says("Hello"), first.config);
  const second = setup({ model: [calls], tools: [note(seen, true)], config: at });
  const { outcome } = await run(says("I like tea."), second.config);
  const [request] = outcome.status === "interrupted" ? outcome.interruptions : [];
  if (request?.type !== "approval") return expect.fail("the call waits for an approval");
  const third = setup({ model: ["Done."], tools: [note(seen, true)], config: at });
  await run(says(), { ...third.config, resume: { approvals: [approve(request)] } });
  expect(seen).toMatchObject([{ userMessages: [user("I like tea.")], position: 2, conversationId: "c" }]);
});
