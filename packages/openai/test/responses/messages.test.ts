import { createTool, handoffTool, run } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../../test/fakes/service.ts";
import type { OpenAIResponsesProviderOptions } from "../../src/index.ts";
import {
  customCall,
  fakeResponses,
  functionCall,
  inputOf,
  message,
  origin,
  output,
  reasoning,
  responsesOf,
} from "../support/responses.ts";
import { configOf, fakeChat, providerOf, rich, says } from "../support/setup.ts";

const user = (content: RichMessage["content"]): RichMessage => ({ role: "user", content });
const assistant = (content: RichMessage["content"], further: object = {}): RichMessage => ({
  role: "assistant",
  content,
  ...further,
});
const call = (id: string, text = "{}") => ({
  id,
  type: "function" as const,
  function: { name: "look", arguments: text },
});
const result = (id: string, content: RichMessage["content"]): RichMessage => ({
  role: "tool",
  tool_call_id: id,
  content,
});

/** The sent input of a history, from a service that accepts anything. */
async function sent(
  messages: readonly RichMessage[],
  options: OpenAIResponsesProviderOptions = {},
): Promise<readonly JsonObject[]> {
  const fake = await fakeResponses(["Ok."]);
  const provider = responsesOf(fake, options);
  const { config } = configOf(provider);
  const [agent] = config.agentRegistry.values();
  // Calls the provider directly, because the engine refuses some of these histories.
  await provider.getCompletion({ ...says(""), messages } as never, agent as never, config);
  expect(fake.refusals).toEqual([]);
  return inputOf(fake, 0);
}

/** Stores a service's reply, applies `change`, and returns the items that are sent back. */
async function sentBack(
  items: readonly JsonObject[],
  change: (message: RichMessage) => RichMessage = (same) => same,
  options: OpenAIResponsesProviderOptions = {},
) {
  const fake = await fakeResponses([output(...items), "Bye."], { isStoring: options.store === true });
  const provider = responsesOf(fake, options);
  const { config } = configOf(provider);
  const [agent] = config.agentRegistry.values();
  const ask = (messages: readonly RichMessage[]) =>
    provider.getCompletion({ ...says(""), messages } as never, agent as never, config);
  const { message: given, origin } = await ask([user("Hi")]);
  const stored = change({ role: "assistant", ...given, origin } as RichMessage);
  const results = (stored.tool_calls ?? []).map(({ id }) => result(id, "done"));
  await ask([user("Hi"), stored, ...results, user("And?")]);
  expect(fake.refusals).toEqual([]);
  return inputOf(fake, 1).slice(1, -1);
}

const withoutReasoning = (stored: RichMessage): RichMessage =>
  Array.isArray(stored.content)
    ? { ...stored, content: stored.content.filter(({ type }) => type !== "reasoning") }
    : stored;

const search = {
  id: "ws_1",
  type: "web_search_call",
  status: "completed",
  action: { type: "search", query: "q" },
};

const withoutId = ({ id: _, ...rest }: JsonObject): JsonObject => rest;

describe("a model's own response, sent back", () => {
  const said = message("Hello.", { id: "msg_1" });
  const called = functionCall("call_1", "look", {}, { id: "fc_1" });
  const answered = { type: "function_call_output", call_id: "call_1", output: "done" };

  it("has each complete item in place", async () => {
    const listed = { id: "mcpl_1", type: "mcp_list_tools", server_label: "docs", tools: [] };
    const items = [
      ...[reasoning("rs_1", []), called, reasoning("rs_2", ["Hm."]), said],
      ...[reasoning("rs_3", []), listed, reasoning("rs_4", []), search],
    ];
    expect(await sentBack(items)).toEqual([...items, answered]);
  });

  it("has neither reasoning without encrypted content nor the ids that require it", async () => {
    const bare = (id: string) => reasoning(id, ["Hm."], { encrypted_content: null });
    expect(await sentBack([bare("rs_1"), search, bare("rs_2"), said, called])).toEqual([
      withoutId(said),
      withoutId(called),
      answered,
    ]);
  });

  it("has no ids if the reasoning is missing", async () => {
    const items = [reasoning("rs_1", []), said, called];
    expect(await sentBack(items, withoutReasoning)).toEqual([withoutId(said), withoutId(called), answered]);
  });

  it("has no reasoning without an item after it", async () => {
    const items = [reasoning("rs_1", []), message("Gone.", { id: "msg_0" }), said, reasoning("rs_2", [])];
    const change = (stored: RichMessage): RichMessage => ({
      ...stored,
      content: Array.isArray(stored.content) ? stored.content.filter((part) => part["text"] !== "Gone.") : "",
    });
    expect(await sentBack(items, change)).toEqual([withoutId(said)]);
  });

  it("has reasoning by id if OpenAI stores it", async () => {
    const items = [reasoning("rs_1", ["Hm."], { encrypted_content: null }), said];
    expect(await sentBack(items, undefined, { store: true })).toEqual(items);
  });

  it("has readable reasoning if the endpoint doesn't encrypt it", async () => {
    const thought = {
      id: "rs_1",
      type: "reasoning",
      summary: [],
      content: [{ type: "reasoning_text", text: "Hm." }],
    };
    const fake = await fakeResponses([output(thought, said), "Bye."], { isStoring: true });
    const provider = responsesOf(fake, { dialect: "compatible" });
    const { config, events } = configOf(provider);
    const first = await run(says("Hi"), config);
    expect(rich(first)[1]?.content).toMatchObject([{ type: "reasoning", text: "Hm." }, { text: "Hello." }]);
    const messages = [...first.finalState.messages, { role: "user" as const, content: "And?" }];
    await run({ ...says("And?"), messages }, config);
    expect(fake.refusals).toEqual([]);
    expect(inputOf(fake, 1).slice(1, 3)).toEqual([thought, said]);
    expect(events.length).toBeGreaterThan(0);
  });

  it("is an error that names the missing tool if only the application can answer it", async () => {
    const computer = { id: "cu_1", type: "computer_call", call_id: "call_9", action: { type: "screenshot" } };
    await expect(sentBack([reasoning("rs_1", []), computer, said])).rejects.toMatchObject({
      reason: "configuration",
      isRetryable: false,
      message: expect.stringContaining('add a tool with the name "computer"'),
    });
  });

  it("has an item once, even if the history has it twice", async () => {
    const fake = await fakeResponses([output(reasoning("rs_1", []), said), "Bye."]);
    const provider = responsesOf(fake);
    const { config } = configOf(provider);
    const first = await run(says("Hi"), config);
    const twice = [...first.finalState.messages, ...first.finalState.messages];
    await run({ ...says("x"), messages: [...twice, { role: "user", content: "And?" }] }, config);
    expect(fake.refusals).toEqual([]);
    expect(inputOf(fake, 1).slice(3, 5)).toEqual([{ role: "user", content: "Hi" }, withoutId(said)]);
  });

  it("keeps an item with a type that has another meaning in JAF", async () => {
    const fake = await fakeResponses(["Bye."]);
    const odd = { id: "x_1", type: "source", url: "https://a.example" };
    const answer: typeof fetch = async () => Response.json({ status: "completed", output: [odd, said] });
    const { config } = configOf(responsesOf(fake, { fetch: answer }));
    const first = await run(says("Hi"), config);
    expect(rich(first)[1]?.content).toMatchObject([{ type: "openai-item", item: odd }, { text: "Hello." }]);
    const bodies: JsonObject[] = [];
    const record: typeof fetch = async (_, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      return Response.json({ status: "completed", output: [said] });
    };
    const again = configOf(responsesOf(fake, { fetch: record }));
    const messages = [...first.finalState.messages, { role: "user" as const, content: "And?" }];
    await run({ ...says("And?"), messages }, again.config);
    expect(bodies[0]?.["input"]).toMatchObject([{ role: "user" }, odd, said, { role: "user" }]);
  });
});

describe("another model's response", () => {
  it("is sent as text and calls, without ids and opaque fields", async () => {
    const foreign = { provider: "deepseek", api: "chat", model: "r1" };
    const long = "toolu_".padEnd(70, "x");
    const items = await sent([
      { role: "system", content: "Be kind." },
      user("Hi"),
      assistant(
        [
          { type: "reasoning", text: "Secret.", signature: "OPAQUE" },
          { type: "text", text: "Two lines." },
          { type: "refusal", refusal: "Not that." },
          { type: "media", mediaType: "image/png", data: "AAAA" },
        ],
        { origin: foreign, tool_calls: [call("call.1"), call(long, "not json")] },
      ),
      result("call.1", "one"),
      result(long, [{ type: "text", text: "two" }]),
      { role: "developer", content: "Be brief." },
      user("And?"),
    ]);
    const ids = items.flatMap(({ type, call_id }) => (type === "function_call" ? [String(call_id)] : []));
    expect(ids.every((id) => /^call_[0-9a-f]{16}$/.test(id))).toBe(true);
    expect(items).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Two lines.\nNot that.\n[image/png]" },
      { type: "function_call", call_id: ids[0], name: "look", arguments: "{}" },
      { type: "function_call", call_id: ids[1], name: "look", arguments: "not json" },
      { type: "function_call_output", call_id: ids[0], output: "one" },
      { type: "function_call_output", call_id: ids[1], output: "two" },
      { role: "developer", content: "Be brief." },
      { role: "user", content: "And?" },
    ]);
  });

  it.each([
    ["provider", { ...origin, provider: "azure" }],
    ["API", { ...origin, api: "chat" }],
    ["model", { ...origin, model: "gpt-other" }],
  ])("is sent like this if only the %s differs", async (_, other) => {
    const stored = assistant(
      [
        {
          type: "reasoning",
          text: "Hm.",
          encrypted: "OPAQUE",
          providerMetadata: { openai: { item: { id: "rs_1" } } },
        },
        {
          type: "text",
          text: "Hello.",
          providerMetadata: { openai: { item: { id: "msg_1" }, contentIndex: 0 } },
        },
      ],
      { origin: other },
    );
    expect(await sent([user("Hi"), stored, user("And?")])).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello." },
      { role: "user", content: "And?" },
    ]);
    const [, shown] = await sent([user("Hi"), stored, user("And?")], { foreignReasoning: "text" });
    expect(shown).toEqual({ role: "assistant", content: "Hm.\n\nHello." });
  });

  it("has a custom call and its output as the custom types", async () => {
    const custom = { id: "c1", type: "custom" as const, custom: { name: "look", input: "at it" } };
    const items = await sent([
      user("Hi"),
      assistant(null, { tool_calls: [custom] }),
      result("c1", "seen"),
      user("?"),
    ]);
    expect(items.slice(1, 3)).toEqual([
      { type: "custom_tool_call", call_id: "c1", name: "look", input: "at it" },
      { type: "custom_tool_call_output", call_id: "c1", output: "seen" },
    ]);
  });

  it("has the instructions as its input if the conversation is empty", async () => {
    expect(await sent([])).toEqual([{ role: "developer", content: "You help." }]);
  });

  it.each<[string, object, JsonObject]>([
    [
      "an image's id",
      { mediaType: "image/png", fileId: "file-1" },
      { type: "input_image", file_id: "file-1" },
    ],
    [
      "a file's id",
      { mediaType: "application/pdf", fileId: "file-1" },
      { type: "input_file", file_id: "file-1" },
    ],
    [
      "a file's URL",
      { mediaType: "application/pdf", url: "https://a.example/a.pdf" },
      { type: "input_file", file_url: "https://a.example/a.pdf" },
    ],
    ["a text file", { mediaType: "text/plain", data: "aGk=" }, { type: "input_text", text: "hi" }],
    ["a sound", { mediaType: "audio/mpeg", data: "AAAA" }, { type: "input_text", text: "[audio/mpeg]" }],
  ])("is sent with %s of the user", async (_, media, expected) => {
    const image = { type: "input_image", image_url: "https://a.example/b.png" };
    const [item] = await sent([user([{ type: "media", ...media } as never, image])]);
    expect(item?.["content"]).toEqual([expected, image]);
  });

  it("is sent with images of Chat Completions as Responses' own", async () => {
    const parts = [
      { type: "image_url", image_url: { url: "https://a.example/b.png", detail: "high" } },
      { type: "file", file: { file_id: "file-1" } },
      { type: "unknown" },
    ];
    const [item] = await sent([user(parts)]);
    expect(item?.["content"]).toEqual([
      { type: "input_image", image_url: "https://a.example/b.png", detail: "high" },
      { type: "input_file", file_id: "file-1" },
    ]);
  });
});

it("a conversation with handoffs to another model and back returns opaque fields to their own model", async () => {
  const look = createTool({
    name: "look",
    description: "d",
    parameters: z.object({}),
    execute: () => "seen",
  });
  const handoff = (id: string, agentName: string) =>
    functionCall(id, "handoff", { agentName }, { id: `fc_${id}` });
  const responses = await fakeResponses([
    output(reasoning("rs_1", []), handoff("call_1", "chat")),
    output(reasoning("rs_2", []), functionCall("call_3", "look", {}, { id: "fc_3" })),
    output(reasoning("rs_3", []), message("Back again.", { id: "msg_1" })),
  ]);
  const back = {
    id: "call_2",
    type: "function",
    function: { name: "handoff", arguments: '{"agentName":"own"}' },
  };
  const chat = await fakeChat([
    { kind: "reply", message: { reasoning_content: "OPAQUE", tool_calls: [back] } },
  ]);
  const providers = { own: responsesOf(responses), chat: providerOf(chat, { provider: "chat" }) };
  const agents = (["own", "chat"] as const).map(
    (name) =>
      [name, { name, instructions: name, tools: [handoffTool, look], handoffs: ["own", "chat"] }] as const,
  );
  const { config } = configOf(
    {
      getCompletion: (state, agent, given) =>
        providers[agent.name === "own" ? "own" : "chat"].getCompletion(state, agent, given),
    },
    {},
    { agentRegistry: new Map(agents) },
  );
  const ended = await run<unknown, unknown>({ ...says("Hi"), currentAgentName: "own" }, config);
  expect(ended.outcome).toEqual({ status: "completed", output: "Back again." });
  expect([responses.refusals, chat.refusals]).toEqual([[], []]);
  expect(JSON.stringify(chat.requests)).not.toMatch(/gAAAA|rs_1|fc_/);
  const input = inputOf(responses, 2);
  expect(JSON.stringify(input)).not.toContain("OPAQUE");
  expect(input.map(({ type, role, id }) => id ?? type ?? role)).toEqual([
    "user",
    "rs_1",
    "fc_call_1",
    "function_call_output",
    "function_call",
    "function_call_output",
    "rs_2",
    "fc_3",
    "function_call_output",
  ]);
});

it("a model's own custom calls keep their items", async () => {
  const own = { ...customCall("call_1", "look", "x"), id: "ctc_1" };
  expect(await sentBack([own])).toEqual([
    own,
    { type: "custom_tool_call_output", call_id: "call_1", output: "done" },
  ]);
});
