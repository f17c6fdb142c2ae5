import { describe, expect, it } from "vitest";
import { conversationOfChat } from "../../src/ai-sdk/chat-ids.ts";
import { looks, type ServerOptions, startRecordingServer } from "../support/recording-server.ts";

const text = { type: "text", text: "What is it?" };

const fileAt = (url: string) => ({ type: "file", mediaType: "image/png", url });

const user = (id: string, ...parts: readonly unknown[]) => ({ id, role: "user", parts });

/** Files that aren't bytes. */
const FOREIGN = [
  ["a web address", fileAt("https://files.example.org/a.png")],
  ["an address of a bucket", fileAt("gs://bucket/a.png")],
  ["an address of the machine", fileAt("file:///etc/passwd")],
  ["an address as base64", fileAt("data:image/png;base64,https://files.example.org/a.png")],
  ["an address as BASE64", fileAt("data:image/png;BASE64,https://files.example.org/a.png")],
  ["a file id as base64", fileAt("data:image/png;base64,file-1")],
  ["an address that no parser reads", fileAt("https://")],
  ["an address without a media type", { type: "file", url: "https://files.example.org/a.png" }],
  ["an address without a scheme", fileAt("files/abc")],
  ["an id", { type: "file", mediaType: "image/png", fileId: "file-1" }],
] as const;

async function startChat(steps: Parameters<typeof startRecordingServer>[0], options: ServerOptions = {}) {
  const server = await startRecordingServer(steps, options);
  /** Resolves with the stream's text, or with the error. */
  const post = async (body: object) => {
    const response = await server.send("ada", "/ai-sdk/chat", {
      method: "POST",
      body: JSON.stringify({ id: "c", ...body }),
    });
    return { status: response.status, text: await response.text() };
  };
  return { ...server, post };
}

const refusedAt = (path: string) => ({
  status: 400,
  text: expect.stringContaining(`"message":"Invalid body: ${path}: `),
});

describe("a message of useChat", () => {
  it.each(FOREIGN)("is refused with a file by %s, also in an edit", async (_what, file) => {
    const { post, sent } = await startChat(["Hello."]);
    const first = user("u", { type: "text", text: "Hi" });
    expect((await post({ messages: [first] })).status).toBe(200);
    const messages = [first, user("v", text, file)];
    expect(await post({ messages })).toMatchObject(refusedAt("messages[1].parts[1].url"));
    expect(await post({ messages: [user("u", file)], messageId: "u" })).toMatchObject(
      refusedAt("messages[0].parts[0].url"),
    );
    expect(sent).toHaveLength(1);
  });

  it("holds the files on the web that clientFiles allows, and no others", async () => {
    const asked: unknown[] = [];
    const { post, sent } = await startChat(["A cat.", "A dog."], {
      clientFiles: (file, { userId }) => asked.push([file, userId]) > 0,
    });
    const message = user("u", text, fileAt("https://files.example.org/x/../a.png"));
    expect((await post({ messages: [message] })).status).toBe(200);
    const url = "https://files.example.org/a.png";
    expect(asked).toEqual([[{ kind: "url", url, mediaType: "image/png" }, "ada"]]);
    expect(sent[0]?.[0]?.content).toEqual([text, { type: "media", mediaType: "image/png", url }]);
    // The same submit is the same turn.
    expect((await post({ messages: [message] })).status).toBe(200);
    expect(sent).toHaveLength(1);
    for (const [, file] of FOREIGN.slice(1))
      expect(await post({ messages: [user("v", file)] })).toMatchObject(
        refusedAt("messages[0].parts[0].url"),
      );
  });

  it("gives the model no metadata of a provider", async () => {
    const { post, sent } = await startChat(["Hello."]);
    const bytes = fileAt("data:image/png;base64,aGk=");
    const providerMetadata = { openai: { itemId: "msg_1", fileId: "file-1" } };
    const parts = [text, bytes].map((part) => ({
      ...part,
      providerMetadata,
      providerOptions: providerMetadata,
    }));
    const reference = { type: "data-file", data: { fileId: "file-1" } };
    const message = { ...user("u", ...parts, reference), metadata: providerMetadata };
    expect((await post({ messages: [message] })).status).toBe(200);
    expect(sent[0]?.[0]).toEqual({
      ...{ id: "u", role: "user" },
      content: [text, { type: "media", mediaType: "image/png", data: "aGk=" }],
    });
  });

  it("that is stored is answered again with its files", async () => {
    const { post, provider, sent } = await startChat(["A cat."]);
    const content = [text, { type: "media", mediaType: "image/png", url: "gs://bucket/a.png" }];
    const stored = [
      { id: "u", role: "user", content },
      { role: "assistant", content: "?" },
    ] as never;
    await provider.storeMessages(conversationOfChat("ada", "c"), stored, { userId: "ada" });
    const copy = user("u", text, fileAt("gs://bucket/a.png"));
    expect((await post({ messages: [copy], trigger: "regenerate-message" })).status).toBe(200);
    expect(sent[0]?.[0]?.content).toEqual(content);
  });

  it("that a timer sent is still the timer's when it is answered again", async () => {
    const { post, provider } = await startChat(["Drink."]);
    const conversationId = conversationOfChat("ada", "c");
    const timer = { role: "user", content: "<timer>Drink!</timer>", from: "timer" };
    await provider.storeMessages(conversationId, [timer, { role: "assistant", content: "?" }] as never, {
      userId: "ada",
    });
    const copy = user("jaf-0", { type: "text", text: "<timer>Drink!</timer>" });
    expect((await post({ messages: [copy], trigger: "regenerate-message" })).status).toBe(200);
    expect(await provider.getConversation(conversationId)).toMatchObject({
      data: { messages: [timer, { role: "assistant", content: "Drink." }] },
    });
  });
});

describe("a tool's output of useChat", () => {
  async function startCall(options: ServerOptions = {}) {
    const server = await startChat([looks, "Seen."], options);
    const asks = user("u", text);
    await server.post({ messages: [asks] });
    const { data } = (await server.ask("ada", "GET", "/ai-sdk/chat/c/messages")).body;
    const [, reply] = data.messages;
    const index = reply.parts.findIndex(({ type }: { type: string }) => type === "tool-look");
    const answer = (...value: readonly unknown[]) => {
      const output = { type: "content", value };
      const part = { ...reply.parts[index], state: "output-available", output };
      return server.post({ messages: [asks, { ...reply, parts: reply.parts.with(index, part) }] });
    };
    return { ...server, answer, at: `messages[1].parts[${index}].output.value` };
  }

  it.each([
    ["a web address", { type: "file-url", url: "https://files.example.org/a.png" }, "url"],
    ["an address of a bucket", { type: "file-url", url: "gs://bucket/a.png" }, "url"],
    ["a file id as bytes", { type: "file-data", data: "file-1" }, "data"],
    ["an address as bytes", { type: "file-data", data: "https://files.example.org/a.png" }, "data"],
  ])("is refused with %s", async (_what, file, field) => {
    const { answer, at, sent } = await startCall();
    const refused = await answer(text, { mediaType: "image/png", ...file });
    expect(refused).toMatchObject(refusedAt(`${at}[1].${field}`));
    expect(sent).toHaveLength(1);
  });

  it("holds what clientFiles allows", async () => {
    const { answer, sent } = await startCall({ clientFiles: ({ kind }) => kind === "url" });
    const url = "https://files.example.org/a.png";
    expect((await answer({ type: "file-url", mediaType: "image/png", url })).status).toBe(200);
    expect(sent[1]?.at(-1)?.content).toEqual([{ type: "media", mediaType: "image/png", url }]);
  });

  it("is a text to the model if it holds a file's id", async () => {
    const { answer, sent } = await startCall();
    const file = { type: "file-id", fileId: "file-1" };
    expect((await answer(file)).status).toBe(200);
    expect(sent[1]?.at(-1)?.content).toBe(JSON.stringify({ type: "content", value: [file] }));
  });
});
