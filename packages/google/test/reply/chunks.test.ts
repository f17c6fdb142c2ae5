import type { ModelStreamChunk } from "@jaf/core";
import { createRunState } from "@jaf/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { functionCalls, weather } from "../../../../test/recordings/google/function-calls.ts";
import { grounding } from "../../../../test/recordings/google/grounding.ts";
import { mcp } from "../../../../test/recordings/google/mcp.ts";
import { event, reply } from "../../../../test/recordings/google/replies.ts";
import type { Json, Recording } from "../../../../test/recordings/recording.ts";
import { createGoogleProvider } from "../../src/index.ts";
import { type AnyAgent, configOf } from "../support/setup.ts";

/** Streams the events and returns the chunks, each with the number of the event that it came with. */
async function chunksOf(events: readonly Json[], agent: Partial<AnyAgent> = { tools: [weather] }) {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const next = events[sent++];
        if (next === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(next)}\n\n`));
      },
    },
    { highWaterMark: 0 },
  );
  const provider = createGoogleProvider({
    apiKey: "k",
    model: "gemini-3.8-flash",
    fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  });
  const { config } = configOf(provider, agent);
  const [resolved] = config.agentRegistry.values();
  const state = createRunState({ agentName: "helper", context: {} });
  const chunks: { readonly at: number; readonly chunk: ModelStreamChunk }[] = [];
  for await (const chunk of provider.getCompletionStream(state, resolved as never, config))
    chunks.push({ at: sent, chunk });
  return chunks;
}

type Chunks = Awaited<ReturnType<typeof chunksOf>>;

const callsIn = (chunks: Chunks) => chunks.filter(({ chunk }) => chunk.type === "tool_call_delta");

/** The joined arguments of each call. */
function argumentsIn(chunks: Chunks): readonly string[] {
  const texts: string[] = [];
  for (const { chunk } of chunks)
    if (chunk.type === "tool_call_delta")
      texts[chunk.index ?? 0] = (texts[chunk.index ?? 0] ?? "") + (chunk.arguments ?? "");
  return texts;
}

const doneIn = (chunks: Chunks) => {
  const last = chunks.at(-1)?.chunk;
  if (last?.type !== "done") throw new Error("the stream isn't done");
  return last;
};

/** The events of a recording's first reply, and its agent, by the beginning of the recording's name. */
function recorded(recordings: readonly Recording[], name: string) {
  const recording = recordings.find((each) => each.name.startsWith(name));
  const [first] = recording?.replies ?? [];
  if (recording === undefined || first === undefined) throw new Error(`There is no recording "${name}".`);
  return { events: first.events as readonly Json[], agent: recording.agent ?? {} };
}

const city = (stringValue: string, more: Json = {}) =>
  event([
    { functionCall: { partialArgs: [{ jsonPath: "$.city", stringValue, ...more }], willContinue: true } },
  ]);
const begins = event([{ functionCall: { name: "weather", willContinue: true } }]);

describe("a streamed call", () => {
  it("is told with each piece of its arguments, which join to the whole", async () => {
    const { events, agent } = recorded(functionCalls, "values of all types");
    const chunks = await chunksOf(events, agent);
    const [call] = doneIn(chunks).message?.tool_calls ?? [];
    expect(argumentsIn(chunks)).toEqual([call?.function?.arguments]);
    expect(callsIn(chunks).length).toBeGreaterThan(8);
    expect(callsIn(chunks)[0]).toMatchObject({ at: 1, chunk: { id: "c1", name: "order" } });
  });

  it("is told in one piece at its end if the tool takes a text", async () => {
    const shell = { ...weather, schema: { ...weather.schema, parameters: z.string() as never } };
    const input = (stringValue: string) =>
      event([
        {
          functionCall: {
            partialArgs: [{ jsonPath: "$.input", stringValue, willContinue: true }],
            willContinue: true,
          },
        },
      ]);
    const events = [begins, input("ls"), input(" -l"), event([{ functionCall: {} }]), reply([])];
    const chunks = await chunksOf(events, { tools: [shell] });
    expect(callsIn(chunks)).toMatchObject([{ at: 4, chunk: { name: "weather", arguments: "ls -l" } }]);
    expect(doneIn(chunks).message?.tool_calls).toMatchObject([{ custom: { input: "ls -l" } }]);
  });

  it.each([
    ["STOP", true],
    ["MAX_TOKENS", false],
  ])("that isn't complete at %s is an error, retryable: %s", async (finishReason, isRetryable) => {
    const events = [begins, city("Ro", { willContinue: true }), reply([], { finishReason })];
    await expect(chunksOf(events)).rejects.toMatchObject({ name: "GoogleError", reason: "cut", isRetryable });
  });

  it("with pieces that don't fit together is an error", async () => {
    const inside = event([
      { functionCall: { partialArgs: [{ jsonPath: "$.city.name", stringValue: "x" }], willContinue: true } },
    ]);
    await expect(chunksOf([begins, city("Rome"), inside, reply([])])).rejects.toMatchObject({
      reason: "malformed",
    });
  });
});

describe("a result of Google's own tools without an id", () => {
  const called = (toolType: string): Json => ({ toolCall: { toolType } });
  const answers = (toolType: string): Json => ({ toolResponse: { toolType } });
  const run = (id?: string): readonly Json[] => [
    { executableCode: { ...(id === undefined ? {} : { id }), code: "1" } },
    { codeExecutionResult: { outcome: "OUTCOME_OK" } },
  ];

  it.each<[string, readonly Json[]]>([
    ["one call after another", [...run(), ...run()]],
    ["a call with an id", run("e1")],
    ["two tools at once", [called("A"), called("B"), answers("A"), answers("B")]],
    ["two calls of one tool at once", [called("A"), called("A"), answers("A"), answers("A")]],
  ])("has the id of its call: %s", async (_, parts) => {
    const told = (await chunksOf([reply(parts)])).flatMap(({ chunk }) =>
      chunk.type === "part" ? chunk.part : [],
    );
    const calls = told.filter(({ type }) => type === "provider-tool-call");
    const answered = told.filter(({ type }) => type === "provider-tool-result");
    expect(answered.map(({ id, name }) => [id, name])).toEqual(calls.map(({ id, name }) => [id, name]));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  });

  it("is no failure if its error is null", async () => {
    const parts = [
      { toolCall: { toolType: "A" } },
      { toolResponse: { toolType: "A", response: { error: null } } },
    ];
    const [, result] = await chunksOf([reply(parts)]);
    expect(result?.chunk).toMatchObject({ part: { type: "provider-tool-result" } });
    expect(result?.chunk).not.toMatchObject({ part: { isError: true } });
  });

  it("has no id that another reply gives again", async () => {
    const [one, other] = await Promise.all([1, 2].map(() => chunksOf([reply(run())])));
    const idOf = (chunks: Chunks = []) =>
      chunks.map(({ chunk }) => (chunk.type === "part" ? chunk.part["id"] : ""))[0];
    expect(idOf(one)).not.toBe(idOf(other));
  });
});

describe("a call that the same reply answers", () => {
  it("is told as parts, and never as a call", async () => {
    const { events, agent } = recorded(mcp, "Google answers its call");
    const chunks = await chunksOf(events, agent);
    expect(callsIn(chunks)).toEqual([]);
    expect(chunks.flatMap(({ chunk }) => (chunk.type === "part" ? [chunk.part.type] : []))).toEqual([
      "provider-tool-call",
      "provider-tool-result",
    ]);
    expect(doneIn(chunks)).toMatchObject({ finishReason: "stop" });
    expect(doneIn(chunks).message).not.toHaveProperty("tool_calls");
  });

  it("may have a name of the agent's tools, whose calls are told at the end beside MCP servers", async () => {
    const { events, agent } = recorded(mcp, "a server's tool");
    expect(callsIn(await chunksOf(events, agent))).toEqual([]);
    const other = await chunksOf(recorded(mcp, "the agent's tool").events, agent);
    expect(callsIn(other)).toMatchObject([{ at: 4, chunk: { id: "o1", arguments: '{"city":"Bonn"}' } }]);
  });

  it("can't have a name of the agent's tools without MCP servers: such calls are told at once", async () => {
    const { events } = recorded(functionCalls, "two calls at once");
    const chunks = await chunksOf([...events, reply([])]);
    expect(callsIn(chunks).map(({ at }) => at)).toEqual([2, 3]);
  });
});

describe("a source", () => {
  it("is told at the end of the stream, before it is done", async () => {
    const { events, agent } = recorded(grounding, "cites pages");
    const chunks = await chunksOf(events, agent);
    const types = chunks.slice(-4).map(({ chunk }) => (chunk.type === "part" ? chunk.part.type : chunk.type));
    expect(types).toEqual(["source", "source", "source", "done"]);
    const content = doneIn(chunks).message?.content ?? [];
    expect(chunks.slice(-4, -1).map(({ chunk }) => chunk.type === "part" && chunk.part)).toEqual(
      content.slice(1),
    );
  });
});
