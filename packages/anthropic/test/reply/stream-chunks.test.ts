import type { ModelStreamChunk } from "@jaf/core";
import { expect, it } from "vitest";
import { tool } from "../../../../test/recordings/anthropic/tools.ts";
import type { Json } from "../../../../test/recordings/recording.ts";
import { createAnthropicProvider } from "../../src/index.ts";
import { MODEL, origin, says } from "../support/setup.ts";

interface Streamed {
  readonly tools?: readonly ReturnType<typeof tool>[];
  readonly service?: readonly Json[];
}

/** The chunks of a streamed reply, without those that only show that the stream is alive. */
async function chunksOf(events: readonly Json[], { tools = [], service = [] }: Streamed = {}) {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const headers = { "content-type": "text/event-stream" };
  const provider = createAnthropicProvider({
    ...{
      model: MODEL,
      provider: "anthropic",
      apiKey: "k",
      fetch: async () => new Response(body, { headers }),
    },
  });
  const modelConfig = { providerOptions: { anthropic: { tools: service } } };
  const agent = { name: "a", instructions: () => "", tools, modelConfig };
  const chunks: ModelStreamChunk[] = [];
  for await (const chunk of provider.getCompletionStream(says("Hi"), agent as never, {} as never))
    chunks.push(chunk);
  return chunks.filter((chunk) => chunk.type !== "text_delta" || chunk.text !== "");
}

const START = { type: "message_start", message: { role: "assistant", content: [] } };
const END = [
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];
const call = { type: "tool_use", id: "toolu_1", name: "work", input: { a: 1 } };

const begins = (block: Json, index = 0) => ({
  ...{ type: "content_block_start", index },
  content_block: { ...block, input: {} },
});
const piece = (partial_json: string) => ({
  ...{ type: "content_block_delta", index: 0 },
  delta: { type: "input_json_delta", partial_json },
});
const stops = { type: "content_block_stop", index: 0 };

const told = (chunks: readonly ModelStreamChunk[]) =>
  chunks.filter(({ type }) => type === "tool_call_delta").map(({ type: _, ...chunk }) => chunk);

const work = tool("work", "done");

it("tells a call of the first event once, whole", async () => {
  const start = { ...START, message: { ...START.message, content: [call] } };
  const expected = [
    { index: 0, id: "toolu_1", name: "work" },
    { index: 0, arguments: '{"a":1}' },
  ];
  expect(told(await chunksOf([start, ...END], { tools: [work] }))).toEqual(expected);
  const again = [begins(call), piece('{"a":1}'), stops];
  expect(told(await chunksOf([start, ...again, ...END], { tools: [work] }))).toEqual(expected);
});

it("tells the arguments of a call without any", async () => {
  expect(told(await chunksOf([START, begins(call), stops, ...END], { tools: [work] }))).toEqual([
    { index: 0, id: "toolu_1", name: "work" },
    { index: 0, arguments: "{}" },
  ]);
});

it("tells a toolset's call when it is whole, with its action", async () => {
  const click = { ...call, name: "left_click", toolset_name: "computer" };
  const events = [START, begins(click), piece('{"coordinate":'), piece("[1,2]}"), stops, ...END];
  const service = [{ type: "computer_toolset_20260801" }];
  expect(told(await chunksOf(events, { tools: [tool("computer", "done")], service }))).toEqual([
    { index: 0, id: "toolu_1", name: "computer" },
    { index: 0, arguments: '{"coordinate":[1,2],"action":"left_click"}' },
  ]);
});

it("tells sources before the end, once each", async () => {
  const citation = {
    type: "web_search_result_location",
    url: "https://a.example/",
    title: "A",
    cited_text: "…",
  };
  const events = [
    START,
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "", citations: [] } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "So." } },
    { type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation } },
    { type: "content_block_delta", index: 0, delta: { type: "citations_delta", citation } },
    stops,
    ...END,
  ];
  const source = { type: "source", id: "source-1", sourceType: "url", url: "https://a.example/", title: "A" };
  const ranges = [{ start: 0, end: 3 }];
  expect((await chunksOf(events)).slice(1)).toMatchObject([
    { type: "part", part: { ...source, ranges } },
    { type: "done", origin },
  ]);
});
