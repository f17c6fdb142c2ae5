import { createTool, run, runStream, ToolResponse } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { MemoryUserMemory } from "@jaf/user-memory";
import { expect, it } from "vitest";
import * as z from "zod";
import { asks, support } from "./support/runs.ts";
import { spanNamed, testTelemetry, withAsyncContext } from "./support/sdk.ts";

withAsyncContext();

const MARK = "zebra-7f3a";

const marked = new Error(`the service says ${MARK}`, { cause: new Error(MARK) });

const tool = (name: string, execute: () => unknown) =>
  createTool({
    name,
    description: `Does ${name}`,
    parameters: z.object({ text: z.string() }),
    execute: execute as () => string,
  });

/** Runs in which every text that a user, a model, a tool, a store or an error says has the mark. */
async function everywhere(content: boolean) {
  const sdk = testTelemetry({ content });
  const { telemetry } = sdk;
  const tools = [
    tool("say", () => `result ${MARK}`),
    tool("fail", () => ToolResponse.error(MARK, MARK)),
    tool("throw", () => {
      throw marked;
    }),
  ];
  const agent = {
    instructions: `Help ${MARK}.`,
    tools,
    handoffs: [],
    outputCodec: z.object({ a: z.number() }),
  };
  const toolCalls = ["say", "fail", "throw", "say"].map((name) => ({ name, arguments: { text: MARK } }));
  const steps = [
    { toolCalls: [...toolCalls, { name: "say", arguments: { [MARK]: 1 } }, { name: MARK, arguments: {} }] },
    marked,
    `no JSON ${MARK}`,
    `no JSON ${MARK}`,
  ];
  const settings = {
    ...support(steps, agent),
    conversationId: "c",
    memory: { provider: telemetry.provider(createInMemoryProvider()), autoStore: true },
    modelRetry: { baseDelayMs: 0, isRetryable: () => true },
  };
  await run(asks(MARK), telemetry.instrument(settings));
  const refused = telemetry.instrument({
    ...support([`{"a":1}`]),
    initialInputGuardrails: [async () => ({ isValid: false as const, errorMessage: MARK })],
  });
  await run(asks(MARK), refused);
  for await (const _ of runStream(asks(MARK), telemetry.instrument(support([marked, marked, marked]))));
  const facts = telemetry.userMemory(new MemoryUserMemory());
  const { id } = await facts.remember("ada", `Likes ${MARK}`);
  await facts.recall("ada", MARK);
  await facts.list("ada");
  await facts.remember("ada", MARK.repeat(1_000)).catch(() => undefined);
  await facts.forget("ada", id);
  return sdk;
}

it("no content is exported unless it is asked for", async () => {
  const { exported, points } = await everywhere(false);
  const spans = JSON.parse(exported()) as readonly { name: string }[];
  expect(spans.length).toBeGreaterThan(15);
  expect(exported()).not.toContain(MARK);
  expect(JSON.stringify([...(await points())])).not.toContain(MARK);
});

it("content is in the conventions' attributes if it is asked for", async () => {
  const { spans, exported } = await everywhere(true);
  expect(exported()).toContain(MARK);
  const { telemetry, spans: own } = testTelemetry({ content: true });
  await run(
    asks("Where is it?"),
    telemetry.instrument(
      support([{ toolCalls: [{ id: "c1", name: "look_up", arguments: { id: "7" } }] }, "Here."]),
    ),
  );
  const chat = own().findLast(({ name }) => name === "chat large");
  expect(JSON.parse(String(chat?.attributes["gen_ai.system_instructions"]))).toEqual([
    { type: "text", content: "Help." },
  ]);
  expect(JSON.parse(String(chat?.attributes["gen_ai.input.messages"]))).toEqual([
    { role: "user", parts: [{ type: "text", content: "Where is it?" }] },
    { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "look_up", arguments: { id: "7" } }] },
    { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "order 7" }] },
  ]);
  expect(JSON.parse(String(chat?.attributes["gen_ai.output.messages"]))).toEqual([
    { role: "assistant", parts: [{ type: "text", content: "Here." }] },
  ]);
  expect(spanNamed(own(), "execute_tool look_up").attributes).toMatchObject({
    "gen_ai.tool.call.arguments": '{"id":"7"}',
    "gen_ai.tool.call.result": "order 7",
  });
  expect(spans().some(({ attributes }) => attributes["gen_ai.memory.query.text"] === MARK)).toBe(true);
});
