import type { ContentPart } from "@jaf/memory";
import { historyTokenOf } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import { looks, type ServerOptions, startRecordingServer } from "../support/recording-server.ts";

const png = { type: "media", mediaType: "image/png" };
const bytes = { ...png, data: "aGk=" };

/** Parts that name something outside of the request, and the field that a refusal names. */
const FOREIGN: readonly (readonly [what: string, part: ContentPart, field: string])[] = [
  ["a file id", { ...png, fileId: "file-1" }, "fileId"],
  ["a file id beside bytes", { ...bytes, fileId: "file-1" }, "fileId"],
  ["a web address", { ...png, url: "https://files.example.org/a.png" }, "url"],
  ["an address beside bytes", { ...bytes, url: "http://169.254.169.254/latest" }, "url"],
  ["an address of a bucket", { ...png, url: "gs://bucket/a.png" }, "url"],
  ["an address of the machine", { ...png, url: "file:///etc/passwd" }, "url"],
  ["an address without a scheme", { ...png, url: "files/abc" }, "url"],
  ["an address as data", { ...png, data: "https://files.example.org/a.png" }, "data"],
  ["a file id as data", { ...png, data: "file-1" }, "data"],
  ["a file id as a data: URL", { ...png, url: "data:image/png;base64,file-1" }, "url"],
  ["a blob of the store", { ...bytes, blob: { sha256: "0".repeat(64), size: 2 } }, "blob"],
  [
    "metadata of a provider",
    { ...bytes, providerMetadata: { openai: { itemId: "msg_1" } } },
    "providerMetadata",
  ],
  [
    "options of a provider",
    { type: "text", text: "Hi", providerOptions: { a: { fileId: "x" } } },
    "providerOptions",
  ],
  ["a text that isn't stored", { type: "text", text: "Hi", transient: true }, "transient"],
];

/** Parts that only a provider or its own API knows. */
const NATIVE: readonly (readonly [what: string, part: ContentPart])[] = [
  ["an image of Chat Completions", { type: "image_url", image_url: { url: "https://files.example.org/a" } }],
  ["a file of Chat Completions", { type: "file", file: { file_id: "file-1" } }],
  ["an image of Responses", { type: "input_image", file_id: "file-1" }],
  ["a file of Responses", { type: "input_file", file_id: "file-1" }],
  ["an item of Responses", { type: "item_reference", id: "msg_1" }],
  ["an image of Anthropic", { type: "image", source: { type: "file", file_id: "file-1" } }],
  [
    "a document of Anthropic",
    { type: "document", source: { type: "url", url: "https://files.example.org" } },
  ],
  ["an upload to a container", { type: "container_upload", file_id: "file-1" }],
  ["a part of Gemini", { type: "gemini", part: { fileData: { fileUri: "gs://bucket/a" } } }],
  ["an approval of the AI SDK", { type: "tool-approval-response", approvalId: "a", approved: true }],
];

const said = (content: unknown) => ({ role: "user", content });

const refusedAt = (path: string) => ({
  status: 400,
  body: { error: { code: "invalid-request", message: expect.stringContaining(`Invalid body: ${path}: `) } },
});

describe("a client's message", () => {
  it.each(FOREIGN)("is refused with %s, whichever way it is sent", async (_what, part, field) => {
    const { ask, sent } = await startRecordingServer(["Hello."]);
    const { conversationId, version } = (await ask("ada", "POST", "/chat", { message: "Hi" })).body.data;
    const content = [{ type: "text", text: "Read it." }, part];
    for (const path of ["/chat", "/agents/assistant/chat"]) {
      expect(await ask("ada", "POST", path, { message: content })).toMatchObject(
        refusedAt(`message[1].${field}`),
      );
      expect(await ask("ada", "POST", path, { messages: [said("Hi"), said(content)] })).toMatchObject(
        refusedAt(`messages[1].content[1].${field}`),
      );
    }
    const edited = { position: 0, version, message: content };
    expect(await ask("ada", "POST", `/conversations/${conversationId}/edit`, edited)).toMatchObject(
      refusedAt(`message[1].${field}`),
    );
    expect(sent).toHaveLength(1);
  });

  it.each(NATIVE)("is refused with %s", async (_what, part) => {
    const { ask, sent } = await startRecordingServer([], { clientFiles: () => true });
    expect(await ask("ada", "POST", "/chat", { message: [part] })).toMatchObject(
      refusedAt("message[0].type"),
    );
    expect(sent).toEqual([]);
  });

  it("names the option that allows a file, and nothing of the file", async () => {
    const { ask } = await startRecordingServer([]);
    const message = [{ ...png, fileId: "file-secret" }];
    const { error } = (await ask("ada", "POST", "/chat", { message })).body;
    expect(error.message).toContain("clientFiles");
    expect(error.message).not.toContain("secret");
  });

  it.each([
    ["base64", bytes],
    ["a data: URL as data", { ...png, data: "data:image/png;base64,aGk=", filename: "a.png" }],
    ["a data: URL", { ...png, url: "data:image/png;base64,aGk=" }],
  ])("may hold bytes as %s", async (_what, part) => {
    const { ask, sent } = await startRecordingServer(["A picture."]);
    const answer = await ask("ada", "POST", "/chat", { message: [{ type: "text", text: "What?" }, part] });
    expect(answer.body.data.status).toBe("completed");
    expect(sent[0]?.[0]?.content).toEqual([{ type: "text", text: "What?" }, part]);
  });
});

describe("clientFiles", () => {
  it("decides about each file with the identity of its user, and gets addresses as they are sent on", async () => {
    const asked: unknown[] = [];
    const { ask, sent } = await startRecordingServer(["Two files.", "No."], {
      clientFiles: async (file, { userId }) => {
        asked.push([file, userId]);
        return file.kind === "url"
          ? new URL(file.url).host === "files.example.org"
          : file.fileId === "file-ada";
      },
    });
    const message = [
      { ...png, url: "HTTPS://files.example.org/x/../a b.png" },
      { ...png, fileId: "file-ada" },
    ];
    expect((await ask("ada", "POST", "/chat", { message })).body.data.status).toBe("completed");
    const url = "https://files.example.org/a%20b.png";
    expect(asked).toEqual([
      [{ kind: "url", url, mediaType: "image/png" }, "ada"],
      [{ kind: "fileId", fileId: "file-ada", mediaType: "image/png" }, "ada"],
    ]);
    expect(sent[0]?.[0]?.content).toEqual([{ ...png, url }, message[1]]);
    // Parsers disagree about the host of such an address.
    const other = { ...png, url: "https://evil.example\\@files.example.org/" };
    expect(await ask("ada", "POST", "/chat", { message: [other] })).toMatchObject(
      refusedAt("message[0].url"),
    );
    const foreign = [message[0], { ...png, fileId: "file-eve" }];
    expect(await ask("ada", "POST", "/chat", { message: foreign })).toMatchObject(
      refusedAt("message[1].fileId"),
    );
    expect(sent).toHaveLength(1);
  });

  it("allows nothing unless it returns true, and a failure of it is the server's", async () => {
    const reported: unknown[] = [];
    const verdicts = ["yes" as never, new Error("down")];
    const { ask, sent } = await startRecordingServer([], {
      clientFiles: () => {
        const verdict: unknown = verdicts.shift();
        if (verdict instanceof Error) throw verdict;
        return verdict as boolean;
      },
      onError: (error) => reported.push(error),
    });
    const message = [{ ...png, fileId: "file-1" }];
    expect(await ask("ada", "POST", "/chat", { message })).toMatchObject(refusedAt("message[0].fileId"));
    expect((await ask("ada", "POST", "/chat", { message })).status).toBe(500);
    expect(reported).toMatchObject([{ message: "down" }]);
    expect(sent).toEqual([]);
  });

  it("must be a function", async () => {
    await expect(startRecordingServer([], { clientFiles: true as never })).rejects.toThrow(/clientFiles/);
  });
});

describe("a result of a client's tool", () => {
  async function startCall(options: ServerOptions = {}) {
    const server = await startRecordingServer([looks, "Seen."], options);
    const { conversationId, interruptions, messages } = (
      await server.ask("ada", "POST", "/chat", { message: "Look." })
    ).body.data;
    const { toolCallId } = interruptions[0];
    const answer = (result: unknown) =>
      server.ask("ada", "POST", "/chat", { conversationId, toolResults: [{ toolCallId, result }] });
    return { ...server, answer, conversationId, toolCallId, call: messages[0] };
  }

  it.each(FOREIGN)("is refused with %s among its parts", async (_what, part, field) => {
    const { answer, sent } = await startCall();
    const parts = [{ type: "text", text: "There." }, part];
    expect(await answer({ parts })).toMatchObject(refusedAt(`toolResults[0].result.parts[1].${field}`));
    expect(await answer({ status: "success", data: { parts } })).toMatchObject(
      refusedAt(`toolResults[0].result.data.parts[1].${field}`),
    );
    expect(sent).toHaveLength(1);
  });

  it("holds what clientFiles allows", async () => {
    const { answer, sent } = await startCall({ clientFiles: ({ kind }) => kind === "fileId" });
    const parts = [{ ...png, fileId: "file-1" }];
    expect((await answer({ parts })).body.data.status).toBe("completed");
    expect(sent[1]?.at(-1)).toMatchObject({ role: "tool", content: parts });
  });

  it.each(NATIVE)("with %s is a text to the model", async (_what, part) => {
    const { answer, sent } = await startCall();
    const result = { status: "success", data: { parts: [part] } };
    expect((await answer(result)).body.data.status).toBe("completed");
    expect(sent[1]?.at(-1)).toMatchObject({ role: "tool", content: JSON.stringify(result) });
  });

  it.each([...FOREIGN.slice(0, 10), ...NATIVE.slice(0, 4)].map(([what, part]) => [what, part] as const))(
    "and a message are refused with %s behind a copy of the history",
    async (_what, part) => {
      const { ask, conversationId, toolCallId, call, sent } = await startCall({ clientFiles: () => true });
      const copy = [said("Look."), call];
      const result = { role: "tool", tool_call_id: toolCallId, content: [part] };
      for (const [history, index] of [
        [[...copy, result], 2],
        [[...copy, { ...result, content: "There." }, said([part])], 3],
      ] as const) {
        const answer = await ask("ada", "POST", "/chat", { conversationId, history });
        expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid-request" } } });
        expect(answer.body.error.message).toContain(`history[${index}].content[0]`);
      }
      expect(await ask("ada", "POST", "/chat", { history: [said([part])] })).toMatchObject({ status: 400 });
      expect(sent).toHaveLength(1);
    },
  );
});

describe("a copy of the history", () => {
  it("adds no file either if a token stands for it", async () => {
    const { ask, provider, sent } = await startRecordingServer([], { clientFiles: () => true });
    const stored = [said("Look."), { role: "assistant", content: "At what?" }] as never;
    await provider.storeMessages("c", stored, { userId: "ada" });
    const read = await provider.getConversation("c");
    const historyToken = historyTokenOf(read.success ? read.data?.metadata : undefined);
    const body = { conversationId: "c", historyToken, history: [said([{ ...png, fileId: "file-1" }])] };
    expect(await ask("ada", "POST", "/chat", body)).toMatchObject(refusedAt("history[0].content[0]"));
    expect(await ask("ada", "POST", "/chat", { ...body, historyToken: "other" })).toMatchObject({
      status: 409,
    });
    expect(sent).toEqual([]);
  });

  it("may hold the files of the stored messages", async () => {
    const { ask, provider, sent } = await startRecordingServer(["It is a cat."]);
    const content = [
      { ...png, fileId: "file-app" },
      { type: "image_url", image_url: { url: "https://a.example" } },
    ];
    const stored = [said(content), { role: "assistant", content: "A picture." }] as never;
    await provider.storeMessages("c", stored, { userId: "ada" });
    const answer = await ask("ada", "POST", "/chat", {
      conversationId: "c",
      history: stored,
      message: "Of?",
    });
    expect(answer.body.data).toMatchObject({ status: "completed", text: "It is a cat." });
    expect(sent[0]?.[0]?.content).toEqual(content);
    const others = await ask("eve", "POST", "/chat", {
      conversationId: "c",
      history: stored,
      message: "Of?",
    });
    expect(others.status).toBe(404);
  });
});
