import {
  createFailure,
  createInMemoryBlobStore,
  createInMemoryProvider,
  createMemoryConnectionError,
  type RichMessage,
  withBlobs,
} from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { createAgentClient, run } from "../../src/index.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { errorOf, says, setup } from "../support/setup.ts";

const data = new Uint8Array(64).fill(7);
const picture = { type: "media", mediaType: "image/png" } as const;
const asked: RichMessage = {
  role: "user",
  content: [
    { type: "text", text: "What is it?" },
    { ...picture, data },
  ],
};

async function conversing() {
  const blobs = createInMemoryBlobStore();
  const provider = withBlobs(createInMemoryProvider(), { blobs, minBytes: 10 });
  await provider.appendMessages(
    "c",
    [asked, { role: "assistant", content: "A picture." }] as never,
    {},
    {
      createIfMissing: "unowned",
    },
  );
  const read = await provider.readConversation("c");
  const stored: readonly RichMessage[] = read.success ? (read.data.conversation?.messages ?? []) : [];
  const ask = async (given = provider) => {
    const model = createScriptedModel(["Seven."]);
    const memory = { provider: given, autoStore: true };
    const { config } = setup({ model, config: { memory, conversationId: "c" } });
    const ended = await run(says("Which number?"), config);
    const seen: readonly RichMessage[] = model.requests[0]?.state.messages ?? [];
    return { ended, seen };
  };
  return { blobs, provider, stored, ask };
}

const partOf = (messages: readonly RichMessage[]) => messages[0]?.content?.[1];

describe("media in a blob store", () => {
  it("are sent to the model, and stay references in the history", async () => {
    const { stored, ask } = await conversing();
    expect(partOf(stored)).toEqual({ ...picture, blob: { sha256: expect.any(String), size: 64 } });
    const { ended, seen } = await ask();
    expect(partOf(seen)).toEqual({ ...picture, data });
    expect(ended.outcome).toEqual({ status: "completed", output: "Seven." });
    expect(partOf(ended.finalState.messages)).toEqual(partOf(stored));
  });

  it("are sent in the runs of an agent client, too", async () => {
    const { provider } = await conversing();
    const model = createScriptedModel(["Seven."]);
    const agent = { name: "helper", instructions: "Help." };
    const client = createAgentClient(agent, { modelProvider: model, context: {}, store: provider });
    await client.continue("c").prompt("And now?");
    expect(partOf(model.requests[0]?.state.messages ?? [])).toEqual({ ...picture, data });
  });

  it("don't end a conversation if they are gone", async () => {
    const { provider, stored, ask } = await conversing();
    const resolveMedia: typeof provider.resolveMedia = async (_id, messages) => ({
      success: true,
      data: messages,
    });
    const { ended, seen } = await ask({ ...provider, resolveMedia });
    expect(partOf(seen)).toEqual(partOf(stored));
    expect(ended.outcome.status).toBe("completed");
  });

  it.each<[string, () => Promise<never>]>([
    ["fails", async () => createFailure(createMemoryConnectionError("blobs")) as never],
    ["throws", () => Promise.reject(new Error("broken"))],
    ["returns nonsense", async () => ({ success: true, data: "all" }) as never],
  ])("end the run if their store %s", async (_, resolveMedia) => {
    const { provider, ask } = await conversing();
    const { ended, seen } = await ask({ ...provider, resolveMedia });
    expect(seen).toEqual([]);
    expect(errorOf(ended)).toMatchObject({ _tag: "MemoryError" });
  });
});
