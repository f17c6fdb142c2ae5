import { createInMemoryProvider, type RichMessage } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { createAgentClient, createRunState, type PromptInput, run } from "../../src/index.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/testing/index.ts";
import { setup } from "../support/setup.ts";

const text = { type: "text", text: "What is this?" } as const;
const image = { type: "media", mediaType: "image/png", data: new Uint8Array([1, 2]) } as const;

function clientOf(...steps: readonly (string | ScriptedReply)[]) {
  const model = createScriptedModel(steps);
  const agent = { name: "helper", instructions: () => "Help." };
  const judged: string[] = [];
  const client = createAgentClient(agent, {
    modelProvider: model,
    context: {},
    initialInputGuardrails: [
      (said) => {
        judged.push(said);
        return { isValid: true };
      },
    ],
  });
  const asked = (): readonly RichMessage[] => model.requests.at(-1)?.state.messages ?? [];
  return { client, asked, judged };
}

describe("a prompt in parts", () => {
  it.each<readonly [string, PromptInput]>([
    ["the parts of a message", [text, image]],
    ["a message", [{ role: "user", content: [text, image] }]],
  ])("can be given as %s", async (_how, input) => {
    const { client, asked, judged } = clientOf("A cat.");
    const { text: reply, messages } = await client.prompt(input);
    expect(reply).toBe("A cat.");
    const said = { role: "user", content: [text, image] };
    expect(asked()).toStrictEqual([said]);
    expect(messages[0]).toStrictEqual(said);
    expect(Object.isFrozen(asked()[0]?.content)).toBe(true);
    expect(judged).toEqual(["What is this?"]);
  });

  it("is copied: later changes have no effect", async () => {
    const data = new Uint8Array([1, 2]);
    const { client, asked } = clientOf("A cat.");
    const prompting = client.prompt([{ ...image, data }]);
    data.fill(9);
    await prompting;
    expect(asked()).toStrictEqual([{ role: "user", content: [image] }]);
  });

  it.each([
    ["reasoning", [{ type: "reasoning", text: "x" }], /^Invalid prompt input: .*user can send/],
    ["a call", [{ role: "user", content: [{ type: "tool-call", id: "a" }] }], /content\[0\]\.type: expected/],
    ["media of no type", [{ type: "media", data: "" }], /^Invalid prompt input: \[0\]\.mediaType: expected/],
    ["media without anything", [{ type: "media", mediaType: "image/png" }], /data, url or fileId/],
    ["no data", [{ type: "text", text: "x", at: 1n }], /^Invalid prompt input: content\[0\]\.at: expected/],
    ["a mixture", [text, { role: "user", content: "x" }], /^Invalid prompt input/],
  ])("throws a TypeError for %s", async (_what, input, message) => {
    const { client } = clientOf("A cat.");
    const prompting = client.prompt(input as never);
    await expect(prompting).rejects.toThrow(TypeError);
    await expect(prompting).rejects.toThrow(message);
  });

  it("keeps parts that only the model's provider knows", async () => {
    const other = { type: "image_url", image_url: { url: "https://example.org/cat.png" } };
    const { client, asked } = clientOf("A cat.");
    await client.prompt([{ role: "user", content: [other] }] as never);
    expect(asked()).toEqual([{ role: "user", content: [other] }]);
  });

  it("is typed for a run, too, and stored", async () => {
    const provider = createInMemoryProvider();
    const memory = { provider, autoStore: true } as const;
    const messages = [{ role: "user", content: [text, image] }] as const;
    const state = createRunState<unknown>({ agentName: "helper", context: {}, messages });
    await run(state, setup({ model: ["A cat."], config: { memory, conversationId: "c" } }).config);
    const stored = await provider.getConversation("c");
    expect(stored.success && stored.data?.messages[0]).toStrictEqual(messages[0]);
  });
});

describe("the result of a prompt", () => {
  const refused: ScriptedReply = { refusal: "I can't.", usage: { outputTokens: 5, reasoningTokens: 3 } };

  it("separates a refusal from the text", async () => {
    const result = await clientOf(refused).client.prompt("Hi");
    expect(result).toMatchObject({ text: "", refusal: "I can't.", output: "I can't." });
    expect(result.usage).toEqual({ outputTokens: 5, reasoningTokens: 3 });
    expect(await clientOf("Hello.").client.prompt("Hi")).not.toHaveProperty("refusal");
  });

  it("doesn't contain reasoning", async () => {
    const { text: said } = await clientOf({ reasoning: "secret", text: "Hello." }).client.prompt("Hi");
    expect(said).toBe("Hello.");
  });
});
