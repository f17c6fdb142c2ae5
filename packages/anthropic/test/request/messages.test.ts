import type { RichMessage } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import type { AnthropicProviderOptions } from "../../src/index.ts";
import { configOf, fakeMessages, origin, providerOf, says } from "../support/setup.ts";

/** The sent messages of a history, from a service that accepts anything. */
async function sent(messages: readonly RichMessage[], options: AnthropicProviderOptions = {}) {
  const fake = await fakeMessages(["Ok."]);
  const provider = providerOf(fake, options);
  const { config } = configOf(provider);
  const [agent] = config.agentRegistry.values();
  const state = { ...says(""), messages };
  // Calls the provider directly, because the engine refuses some of these histories.
  const completion = await provider
    .getCompletion(state as never, agent as never, config)
    .catch((thrown: unknown) => thrown);
  expect([completion, fake.refusals]).toMatchObject([{ message: { content: "Ok." } }, []]);
  const { body = {}, headers = {} } = fake.requests[0] ?? {};
  return { system: body["system"], messages: body["messages"], beta: headers["anthropic-beta"] };
}

const user = (content: RichMessage["content"], further: object = {}): RichMessage => ({
  role: "user",
  content,
  ...further,
});
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
const result = (id: string, content: RichMessage["content"], further: object = {}): RichMessage => ({
  role: "tool",
  tool_call_id: id,
  content,
  ...further,
});
const own = { origin };
const text = (words: string) => ({ type: "text", text: words });
const png = Uint8Array.of(137, 80, 78, 71);
const base64 = (media_type: string, data: string) => ({ type: "base64", media_type, data });

describe("a user's message", () => {
  it.each<[string, object, object, string?]>([
    [
      "an image's bytes",
      { type: "media", mediaType: "image/png", data: png },
      { type: "image", source: base64("image/png", "iVBORw==") },
    ],
    [
      "an image's address",
      { type: "media", mediaType: "image/svg+xml", url: new URL("https://a.example/a.svg") },
      { type: "image", source: { type: "url", url: "https://a.example/a.svg" } },
    ],
    [
      "an image in a data address",
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw==" } },
      { type: "image", source: base64("image/png", "iVBORw==") },
    ],
    [
      "an image of a kind that isn't read",
      { type: "media", mediaType: "image/tiff", data: png, filename: "a.tiff" },
      text("[image/tiff a.tiff]"),
    ],
    [
      "an image's id",
      { type: "media", mediaType: "image/png", fileId: "file_1" },
      { type: "image", source: { type: "file", file_id: "file_1" } },
      "files-api-2025-04-14",
    ],
    [
      "a PDF with its title",
      { type: "media", mediaType: "application/pdf", data: "JVBERg==", filename: "a.pdf" },
      { type: "document", source: base64("application/pdf", "JVBERg=="), title: "a.pdf" },
    ],
    [
      "a PDF that may be cited",
      {
        type: "media",
        mediaType: "application/pdf",
        url: "https://a.example/a.pdf",
        providerMetadata: { anthropic: { citations: { enabled: true }, context: "Old.", title: "A" } },
      },
      {
        type: "document",
        source: { type: "url", url: "https://a.example/a.pdf" },
        citations: { enabled: true },
        context: "Old.",
        title: "A",
      },
    ],
    [
      "a text",
      { type: "media", mediaType: "text/csv", data: Buffer.from("a,b").toString("base64") },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "a,b" } },
    ],
    ["an empty text", { type: "media", mediaType: "text/csv", data: "" }, text("[text/csv]")],
    ["a sound", { type: "media", mediaType: "audio/wav", data: png }, text("[audio/wav]")],
    [
      "a text's address",
      { type: "media", mediaType: "text/csv", url: "https://a.example/a.csv" },
      text("[text/csv https://a.example/a.csv]"),
    ],
    [
      "a block of Anthropic's own",
      { type: "search_result", source: "https://a.example", title: "A", content: [text("a")] },
      { type: "search_result", source: "https://a.example", title: "A", content: [text("a")] },
    ],
  ])("holds %s", async (_, part, expected, beta) => {
    const { messages, beta: sentBeta } = await sent([user([part as never])]);
    expect(messages).toEqual([{ role: "user", content: [expected] }]);
    expect(sentBeta).toBe(beta);
  });

  it("is merged with adjacent ones, without empty parts", async () => {
    const { messages } = await sent([
      user("Hi"),
      user(" \n"),
      user([text(""), text("Ho") as never]),
      user(null),
    ]);
    expect(messages).toEqual([{ role: "user", content: [text("Hi"), text("Ho")] }]);
  });
});

describe("the conversation", () => {
  it("has all instructions in the system prompt, one block each", async () => {
    const { system, messages } = await sent([
      { role: "system", content: "Be brief." },
      user("Hi"),
      { role: "developer", content: [text("Now be long.") as never] },
      { role: "system", content: "" },
    ]);
    expect(system).toEqual([text("You help."), text("Be brief."), text("Now be long.")]);
    expect(messages).toEqual([{ role: "user", content: [text("Hi")] }]);
  });

  it("always begins and ends with a user message", async () => {
    expect((await sent([])).messages).toEqual([
      { role: "user", content: [text("[The conversation begins.]")] },
    ]);
    expect((await sent([assistant("Hello.")])).messages).toEqual([
      { role: "user", content: [text("[The conversation begins.]")] },
      { role: "assistant", content: [text("Hello.")] },
      { role: "user", content: [text("[Go on.]")] },
    ]);
  });

  it("has one result directly after each call, and no call without a result", async () => {
    const { messages } = await sent([
      user("Hi"),
      assistant("Looking.", { tool_calls: [call("a"), call("b"), call("c")] }),
      result("b", "B"),
      user("Wait"),
      result("a", ""),
      result("a", "again"),
      result("z", "of no call"),
      assistant("Hm."),
    ]);
    expect(messages).toEqual([
      { role: "user", content: [text("Hi")] },
      {
        role: "assistant",
        content: [
          text("Looking."),
          { type: "tool_use", id: "a", name: "look", input: {} },
          { type: "tool_use", id: "b", name: "look", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "b", content: "B" },
          { type: "tool_result", tool_use_id: "a" },
          text("Wait"),
        ],
      },
      { role: "assistant", content: [text("Hm.")] },
      { role: "user", content: [text("[Go on.]")] },
    ]);
  });

  it("replaces ids and arguments that the API refuses", async () => {
    const { messages } = await sent([
      user("Hi"),
      assistant(null, { tool_calls: [call("functions.look:0", "oops"), call("toolu_1", "[1]")] }),
      result("functions.look:0", "1"),
      result("toolu_1", "2"),
      assistant(null, { ...own, tool_calls: [call("toolu_1", '{"a":1}')] }),
      result("toolu_1", "3"),
    ]);
    expect(messages).toMatchObject([
      {},
      {
        content: [
          { id: "call_0217fe28bb536531", input: { input: "oops" } },
          { id: "toolu_1_2", input: { input: "[1]" } },
        ],
      },
      { content: [{ tool_use_id: "call_0217fe28bb536531" }, { tool_use_id: "toolu_1_2" }] },
      { content: [{ id: "toolu_1", input: { a: 1 } }] },
      { content: [{ tool_use_id: "toolu_1" }] },
    ]);
  });

  it("marks errors in results", async () => {
    const failed = JSON.stringify({ status: "error", error: { code: "X", message: "m" } });
    const { messages } = await sent([
      user("Hi"),
      assistant("", { tool_calls: ["a", "b", "c", "d"].map((id) => call(id)) }),
      result("a", failed),
      result("b", "no", { isError: true }),
      result("c", '{"status":"error"}'),
      result("d", '{"status":"success","error":{}}'),
    ]);
    expect(messages).toMatchObject([
      {},
      {},
      { content: [{ is_error: true }, { is_error: true }, { tool_use_id: "c" }, { tool_use_id: "d" }] },
    ]);
    expect(JSON.stringify(messages).match(/is_error/g)).toHaveLength(2);
  });
});

describe("an assistant message of the model's own", () => {
  it("leaves out parts that Anthropic refuses", async () => {
    const { messages } = await sent([
      user("Hi"),
      assistant(
        [
          { type: "reasoning", text: "never signed" },
          text(" ") as never,
          {
            type: "provider-tool-result",
            id: "srvtoolu_9",
            providerMetadata: { anthropic: { type: "x_tool_result" } },
          },
          {
            type: "provider-tool-call",
            id: "srvtoolu_1",
            name: "web_search",
            providerMetadata: { anthropic: { type: "server_tool_use" } },
          },
          text("Said.") as never,
          { type: "media", mediaType: "image/png", data: png },
          { type: "reasoning", text: "at the end", signature: "c2ln" },
        ],
        own,
      ),
      user("And?"),
    ]);
    expect(messages).toMatchObject([{}, { content: [text("Said."), text("[image/png]")] }, {}]);
  });

  it("is sent back unchanged, except for a changed text", async () => {
    const segments = [{ length: 3 }, { length: 2, citations: [{ type: "page_location" }] }];
    const reply = (words: string) => assistant([{ type: "text", text: words, segments }], own);
    expect((await sent([user("Hi"), reply("One.2"), user("?")])).messages).toMatchObject([
      {},
      { content: [text("One"), { ...text(".2"), citations: [{ type: "page_location" }] }] },
      {},
    ]);
    expect((await sent([user("Hi"), reply("Two"), user("?")])).messages).toMatchObject([
      {},
      { content: [text("Two")] },
      {},
    ]);
  });

  it("counts as another model's if only the model, API or service differs", async () => {
    const opaque = assistant(
      [
        { type: "reasoning", text: "OPAQUE", signature: "OPAQUE" },
        {
          type: "provider-tool-call",
          id: "OPAQUE",
          name: "s",
          providerMetadata: { anthropic: { type: "server_tool_use" } },
        },
        { type: "unknown", data: "OPAQUE" },
        text("Said.") as never,
        { type: "tool-call", id: "a" },
      ],
      { tool_calls: [{ ...call("a"), caller: "OPAQUE" }], refusal: "No.", extra: "OPAQUE" },
    );
    for (const change of [{ model: "x" }, { api: "chat" }, { provider: "bedrock" }, undefined]) {
      const message = change === undefined ? opaque : { ...opaque, origin: { ...origin, ...change } };
      const { messages } = await sent([user("Hi"), message, result("a", "1")]);
      expect(messages).toMatchObject([
        {},
        { content: [text("Said.\nNo."), { type: "tool_use", id: "a" }] },
        {},
      ]);
      expect(JSON.stringify(messages)).not.toContain("OPAQUE");
    }
  });

  it("contains another model's readable reasoning as text if the option says so", async () => {
    const { messages } = await sent(
      [
        user("Hi"),
        assistant("Two.", { reasoning_content: "One and one." }),
        user("And?"),
        assistant([{ type: "reasoning", text: "I know.", signature: "x" }, text("Sure.") as never]),
        user("Ok"),
      ],
      { foreignReasoning: "text" },
    );
    expect(messages).toMatchObject([
      {},
      { content: [text("One and one.\n\nTwo.")] },
      {},
      { content: [text("I know.\n\nSure.")] },
      {},
    ]);
  });
});
