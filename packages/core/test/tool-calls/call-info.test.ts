import { inspect } from "node:util";
import { expect, it } from "vitest";
import * as z from "zod";
import { createTool, run, type ToolCallInfo } from "../../src/index.ts";
import { says, setup, user } from "../support/setup.ts";

/** A tool's function that uses the call info. */
async function told<T>(look: (call: ToolCallInfo) => T): Promise<T> {
  const seen: T[] = [];
  const tool = createTool({
    name: "look",
    description: "",
    parameters: z.object({}),
    execute: (_args, _context, call) => {
      if (call !== undefined) seen.push(look(call));
      return "looked";
    },
  });
  const { config } = setup({
    model: [{ toolCalls: [{ name: "look", arguments: {} }] }, "Done."],
    tools: [tool],
  });
  await run(says("Hello."), config);
  const [first] = seen;
  return first ?? expect.fail("the tool looks at its call");
}

const FIELDS = ["toolCallId", "idempotencyKey", "signal", "runId", "traceId", "agentName", "turn"];

it("has all fields of a tool's call in a copy, even if they weren't read", async () => {
  const { call, copy, frozen, inherited } = await told((call) => ({
    call,
    copy: { ...call },
    frozen: Object.freeze({ ...call }),
    inherited: Object.create(call) as ToolCallInfo,
  }));
  expect(Object.keys(call)).toEqual(FIELDS);
  for (const same of [copy, frozen, inherited]) {
    expect(same.signal).toBeInstanceOf(AbortSignal);
    expect(same.signal).toBe(call.signal);
    expect(same.turn).toBe(call.turn);
    expect(same.turn.userMessages).toEqual([user("Hello.")]);
    expect(same.idempotencyKey).toMatch(/:\d+:call/);
  }
});

it("can't be changed, but a copy can", async () => {
  const { frozen, changed } = await told((call) => {
    const changed: { agentName: string } = { ...call };
    changed.agentName = "another";
    return { frozen: call, changed };
  });
  expect(Object.isFrozen(frozen)).toBe(true);
  expect(Reflect.set(frozen, "signal", new AbortController().signal)).toBe(false);
  expect(frozen.signal.aborted).toBe(false);
  expect(frozen.turn.userMessages).toEqual([user("Hello.")]);
  expect(changed.agentName).toBe("another");
});

it("shows unread fields when printed", async () => {
  const printed = await told((call) => inspect(call));
  expect(printed).toContain("signal: [Getter]");
  expect(printed).toContain("toolCallId:");
});
