import type { RichMessage } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import type { ChatMode } from "../../../../test/fakes/openai-chat.ts";
import type { OpenAIProviderOptions } from "../../src/index.ts";
import { configOf, fakeChat, providerOf, says } from "../support/setup.ts";

/** The sent messages of a history, from an endpoint that accepts anything. */
async function sent(
  messages: readonly RichMessage[],
  options: OpenAIProviderOptions = {},
  mode: ChatMode = "openai",
): Promise<readonly unknown[]> {
  const fake = await fakeChat(["Ok."], { mode });
  const { config } = configOf(providerOf(fake, options));
  const [agent] = config.agentRegistry.values();
  const state = { ...says(""), messages };
  // Calls the provider directly, because the engine refuses some of these histories.
  const asked = providerOf(fake, options).getCompletion(state as never, agent as never, config);
  const completion = await asked.catch((thrown: unknown) => thrown);
  expect([completion, fake.refusals]).toMatchObject([{ message: { content: "Ok." } }, []]);
  return fake.requests[0]?.messages.slice(1) ?? [];
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
const result = (id: string, content: RichMessage["content"]): RichMessage => ({
  role: "tool",
  tool_call_id: id,
  content,
});
const own = { origin: { provider: "openai", api: "chat", model: "gpt-test" } };
const png = Uint8Array.of(137, 80, 78, 71);

describe("a user's message", () => {
  it.each([
    [
      "an image's bytes",
      { type: "media", mediaType: "image/png", data: png },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw==" } },
    ],
    [
      "an image's base64",
      { type: "media", mediaType: "image/png", data: "iVBORw==" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw==" } },
    ],
    [
      "an image's URL",
      {
        type: "media",
        mediaType: "image/png",
        url: new URL("https://a.example/b.png"),
        providerMetadata: { openai: { detail: "low" } },
      },
      { type: "image_url", image_url: { url: "https://a.example/b.png", detail: "low" } },
    ],
    [
      "audio",
      { type: "media", mediaType: "audio/mpeg", data: "AAAA" },
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
    ],
    [
      "a file",
      { type: "media", mediaType: "application/pdf", data: "AAAA", filename: "a.pdf" },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
    ],
    [
      "a file's id",
      { type: "media", mediaType: "application/pdf", fileId: "file-1" },
      { type: "file", file: { file_id: "file-1" } },
    ],
    [
      "a text file",
      { type: "media", mediaType: "text/csv", data: Buffer.from("a,b").toString("base64") },
      { type: "text", text: "a,b" },
    ],
    [
      "audio of another type",
      { type: "media", mediaType: "audio/ogg", data: "AAAA" },
      { type: "text", text: "[audio/ogg]" },
    ],
    [
      "a part of OpenAI's own",
      { type: "image_url", image_url: { url: "https://a.example" } },
      { type: "image_url", image_url: { url: "https://a.example" } },
    ],
    [
      "a part of OpenAI's Responses",
      { type: "input_image", image_url: "https://a.example" },
      { type: "image_url", image_url: { url: "https://a.example" } },
    ],
  ])("may hold %s", async (_, part, expected) => {
    const [message] = await sent([user([{ type: "text", text: "Look:" }, part])]);
    const parts = [{ type: "text", text: "Look:" }, expected];
    const content = "text" in expected ? `Look:\n${expected.text}` : parts;
    expect(message).toEqual({ role: "user", content });
  });

  it("keeps a valid name, and no unknown fields", async () => {
    const further = { createdAt: "2026-01-01", providerMetadata: { a: {} } };
    expect(
      await sent([user("Hi", { name: "ada", id: "1", ...further }), user("Ho", { name: "Ada Lovelace" })]),
    ).toEqual([
      { role: "user", content: "Hi", name: "ada" },
      { role: "user", content: "Ho" },
    ]);
  });

  it("is empty if it has only unknown parts", async () => {
    expect(await sent([user([{ type: "x-widget", data: 1 }])])).toEqual([{ role: "user", content: "" }]);
  });
});

describe("system messages in the conversation", () => {
  it("are merged with the agent's instructions at the beginning, and stay in place later", async () => {
    const fake = await fakeChat(["Ok."]);
    const { config } = configOf(providerOf(fake));
    const [agent] = config.agentRegistry.values();
    const messages = [
      { role: "developer", content: "Be brief." },
      { role: "system", content: [{ type: "text", text: "Be kind." }] },
      user("Hi"),
      { role: "system", content: "Now be long." },
      user("Ho"),
    ];
    await providerOf(fake).getCompletion({ ...says(""), messages } as never, agent as never, config);
    expect(fake.refusals).toEqual([]);
    expect(fake.requests[0]?.messages).toEqual([
      { role: "system", content: "You help.\n\nBe brief.\n\nBe kind." },
      user("Hi"),
      { role: "system", content: "Now be long." },
      user("Ho"),
    ]);
  });
});

describe("a tool's result", () => {
  it("is text, with its media after the results of its step", async () => {
    const image = { type: "media", mediaType: "image/png", data: png };
    const history = [
      user("Hi"),
      assistant("", { tool_calls: [call("call_1"), call("call_2")] }),
      result("call_1", [{ type: "text", text: "A chart" }, image]),
      result("call_2", [image]),
      assistant("I see."),
    ];
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw==" } };
    expect((await sent(history)).slice(2)).toEqual([
      { role: "tool", tool_call_id: "call_1", content: "A chart" },
      { role: "tool", tool_call_id: "call_2", content: "It follows in the next message." },
      {
        role: "user",
        content: [
          { type: "text", text: "What look returned:" },
          picture,
          { type: "text", text: "What look returned:" },
          picture,
        ],
      },
      { role: "assistant", content: "I see." },
    ]);
  });

  it("is left out without its call, as are another framework's answer to an approval and its results", async () => {
    const history: RichMessage[] = [
      user("Hi"),
      assistant([
        { type: "tool-call", toolCallId: "t1", toolName: "pay", input: {} },
        { type: "tool-approval-request", approvalId: "a1", toolCallId: "t1" },
      ]),
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "t1", toolName: "pay", output: {} }] },
      assistant("Done."),
      result("t1", "late"),
      user("Next"),
    ];
    expect((await sent(history)).filter((message) => (message as RichMessage).role === "tool")).toEqual([]);
  });
});

describe("an assistant message", () => {
  it.each([
    ["has neither text nor calls", assistant("")],
    ["is the model's own without text", assistant("", own)],
    ["is the model's own with only reasoning", assistant("", { ...own, reasoning_content: "Hm." })],
    [
      "is another model's with only reasoning",
      assistant([{ type: "reasoning", text: "Hm.", signature: "c2ln" }]),
    ],
    [
      "is another model's with only opaque parts",
      assistant([
        { type: "reasoning", encrypted: "b3A=" },
        { type: "x", data: 1 },
      ]),
    ],
  ])("isn't sent if it %s", async (_, message) => {
    expect(await sent([user("Hi"), message, user("Ho")])).toEqual([user("Hi"), user("Ho")]);
  });

  it.each([
    ["a refusal", assistant(null, { refusal: "No." }), { content: "No." }],
    ["a refusal in parts", assistant([{ type: "refusal", refusal: "No." }]), { content: "No." }],
    [
      "media",
      assistant([
        { type: "text", text: "Here:" },
        { type: "media", mediaType: "image/png", data: png },
      ]),
      { content: "Here:\n[image/png]" },
    ],
    ["parts of Responses", assistant([{ type: "output_text", text: "Hi." }]), { content: "Hi." }],
  ])("with %s becomes text for another model", async (_, message, expected) => {
    expect(await sent([user("Hi"), message])).toEqual([user("Hi"), { role: "assistant", ...expected }]);
  });

  it("keeps its refusal, and its audio by id", async () => {
    const audio = { id: "audio_1", data: "AAAA", transcript: "Hi.", expires_at: 1 };
    const replies = [assistant(null, { ...own, refusal: "No." }), assistant("", { ...own, audio })];
    expect(await sent([user("Hi"), ...replies])).toEqual([
      user("Hi"),
      { role: "assistant", content: null, refusal: "No." },
      { role: "assistant", content: "", audio: { id: "audio_1" } },
    ]);
  });

  it("sends a custom call as a function if the endpoint has no custom tools", async () => {
    const custom = { id: "call_1", type: "custom", custom: { name: "patch", input: '*** "x"' }, status: "x" };
    const history = [user("Hi"), assistant("", { tool_calls: [custom] }), result("call_1", "Done.")];
    expect((await sent(history))[1]).toMatchObject({
      tool_calls: [{ id: "call_1", type: "custom", custom: { name: "patch", input: '*** "x"' } }],
    });
    expect((await sent(history, { dialect: "compatible" }))[1]).toMatchObject({
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "patch", arguments: '{"input":"*** \\"x\\""}' } },
      ],
    });
  });

  it.each([
    ['{"a": 1', '{"input":"{\\"a\\": 1"}'],
    ["", "{}"],
    ["[1]", '{"input":"[1]"}'],
    ['{"a":  1}', '{"a":  1}'],
  ])("replaces the arguments %j, which templates refuse", async (text, expected) => {
    const history = [
      user("Hi"),
      assistant("", { tool_calls: [call("call_1", text)] }),
      result("call_1", "No."),
    ];
    const argumentsOf = (message: unknown) =>
      (message as RichMessage).tool_calls?.map((sent) =>
        sent.type === "function" ? sent.function.arguments : "",
      );
    expect(argumentsOf((await sent(history))[1])).toEqual([text]);
    expect(argumentsOf((await sent(history, { dialect: "compatible" }))[1])).toEqual([expected]);
  });

  it("gets unique and short ids, even if other messages repeat ids", async () => {
    const long = "call_".padEnd(70, "x");
    const history = [
      user("Hi"),
      assistant("", { tool_calls: [call("call_1"), call(long), call("fn:1")] }),
      result(long, "b"),
      result("call_1", "a"),
      result("fn:1", "c"),
      assistant("", { tool_calls: [call("call_1")] }),
      result("call_1", "d"),
    ];
    const wire = (await sent(history, {}, "openrouter")) as readonly {
      tool_call_id?: string;
      tool_calls?: readonly { id: string }[];
    }[];
    const ids = wire.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => /^[\w-]{1,40}$/.test(id))).toBe(true);
    expect(ids[0]).toBe("call_1");
    expect(wire.map(({ tool_call_id: id }) => id).filter((id) => id !== undefined)).toEqual([
      ids[1],
      ids[0],
      ids[2],
      ids[3],
    ]);
    await sent(history);
  });
});
