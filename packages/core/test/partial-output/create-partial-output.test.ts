import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTool, type RunConfig, runStream, type TraceEvent } from "../../src/index.ts";
import { createPartialOutput, type PartialOutput } from "../../src/partial-output/index.ts";
import type { ScriptedStep } from "../../src/testing/index.ts";
import { says, setup } from "../support/setup.ts";

const look = createTool({ name: "look", description: "", parameters: z.object({}), execute: () => "seen" });
const report = z.object({ title: z.string(), on: z.string().transform((text) => text.length) });
type Report = z.output<typeof report>;

async function watch(steps: readonly ScriptedStep<unknown>[], config: Partial<RunConfig<unknown>> = {}) {
  const partial = createPartialOutput<Report>();
  const told: PartialOutput<Report>[] = [];
  const agent = { outputCodec: report };
  const stream = runStream(says("Hi"), setup({ model: steps, tools: [look], agent, config }).config);
  for await (const event of stream) {
    const changed = partial.take(event);
    if (changed !== undefined) told.push(changed);
  }
  return told;
}

const part = (output: unknown) => ({ isComplete: false, output });

describe("createPartialOutput", () => {
  it("tells what is new of an output, and last the output that the codec decoded", async () => {
    expect(await watch(['{"title": "Rain and sun", "on": "x" }'])).toEqual([
      part({}),
      part({ title: "Rain " }),
      part({ title: "Rain and " }),
      part({ title: "Rain and sun" }),
      part({ title: "Rain and sun", on: "x" }),
      { isComplete: true, output: { title: "Rain and sun", on: 1 } },
    ]);
  });

  it("begins again where a reply is retracted, fails or is corrected", async () => {
    const cut = { chunks: [{ type: "text_delta", text: '{"title": "A' }] } as const;
    const told = await watch([cut, '{"title": 1, "on": "x"}', '{"title":"B","on":"y"}']);
    expect(told.map(({ output }) => output)).toEqual([
      { title: "A" },
      undefined,
      {},
      { title: 1 },
      { title: 1, on: "x" },
      undefined,
      { title: "B", on: "y" },
      { title: "B", on: 1 },
    ]);
  });

  it("takes no text beside tool calls for the output", async () => {
    const told = await watch([
      { text: '{"title":"Not yet', toolCalls: [{ name: "look" }] },
      '{"title":"B","on":"y"}',
    ]);
    expect(told.map(({ output }) => output)).toEqual([
      { title: "Not " },
      { title: "Not yet" },
      undefined,
      { title: "B", on: "y" },
      { title: "B", on: 1 },
    ]);
  });

  it("has no complete value of a run that fails", async () => {
    const told = await watch(['{"title": "A"}'], { outputRepairs: 0 });
    expect(told.every(({ isComplete }) => !isComplete)).toBe(true);
    expect(told.at(-1)).toEqual(part(undefined));
  });

  it("follows the events of a turn of the server, too", () => {
    const { take } = createPartialOutput<Report>();
    const events = [
      { type: "turn_start", turnId: "t", conversationId: "c", agentName: "helper" },
      { type: "text", text: '{"title":"A' },
      { type: "retract", reason: "retry" },
      { type: "text", text: '{"title":"B' },
      { type: "message", agentName: "helper", message: { role: "assistant", content: "" } },
      { type: "turn_end", status: "completed", output: { title: "B", on: 1 } },
    ];
    expect(events.map((event, number) => take({ number, event }))).toEqual([
      undefined,
      part({ title: "A" }),
      part(undefined),
      part({ title: "B" }),
      undefined,
      { isComplete: true, output: { title: "B", on: 1 } },
    ]);
  });

  it("parses a megabyte in pieces in little more time than in one", () => {
    const whole = JSON.stringify({
      rows: Array.from({ length: 10_000 }, (_, n) => ({ id: n, text: `row ${n} ${"x".repeat(70)}` })),
    });
    const { take } = createPartialOutput<{ rows: { id: number; text: string }[] }>();
    const delta = (text: string): TraceEvent => ({ type: "llm_delta", data: { agentName: "a", text } });
    const start = performance.now();
    let last: unknown;
    for (let at = 0; at < whole.length; at += 40)
      last = take(delta(whole.slice(at, at + 40)))?.output ?? last;
    const ended = take({
      type: "assistant_message",
      data: { agentName: "a", message: { role: "assistant", content: "" } },
    });
    expect(ended?.output ?? last).toEqual(JSON.parse(whole));
    // Parsing the text at each piece takes more than a minute.
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});
