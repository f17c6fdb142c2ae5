import { runStream } from "@jaf/core";
import { describe, expect, it } from "vitest";
import { configOf, fakeChat, providerOf, rich, says } from "../support/setup.ts";

const origin = { provider: "openai", api: "chat", model: "gpt-test" };

/** The stored reply of a stream with these deltas. */
const stored = (...deltas: readonly unknown[]) =>
  storedOf(...deltas.map((delta) => [{ index: 0, delta }]), [{ index: 0, delta: {}, finish_reason: "stop" }]);

/** The stored reply of a stream with these choices in its events. */
async function storedOf(...choices: readonly (readonly unknown[])[]) {
  const events = choices.map((each) => ({ choices: each }));
  const body = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;
  const fake = await fakeChat([{ kind: "raw", headers: { "content-type": "text/event-stream" }, body }]);
  const { config, events: told } = configOf(providerOf(fake), {}, { maxTurns: 1 });
  const result = await runStream<unknown, unknown>(says("Hi"), config).result;
  const toldOf = (type: "llm_delta" | "llm_reasoning_delta"): string =>
    told.map((event) => (event.type === type ? event.data.text : "")).join("");
  return { message: rich(result)[1], text: toldOf("llm_delta"), reasoning: toldOf("llm_reasoning_delta") };
}

const call = (further: object, text = "") => ({
  function: { name: "f", arguments: text },
  type: "function",
  ...further,
});

describe("a reply streamed by", () => {
  it("OpenRouter: merges reasoning with the same index, except encrypted reasoning", async () => {
    const { message } = await stored(
      {
        content: "",
        reasoning: "One",
        reasoning_details: [{ type: "reasoning.text", text: "One", index: 0, format: "a" }],
      },
      {
        content: "",
        reasoning: " two.",
        reasoning_details: [{ type: "reasoning.text", text: " two.", index: 0, format: "a" }],
      },
      {
        content: "",
        reasoning_details: [{ type: "reasoning.text", signature: "c2ln", index: 0, format: "a" }],
      },
      { content: "", reasoning_details: [{ type: "reasoning.encrypted", data: "YQ==", id: "t1", index: 0 }] },
      { content: "", reasoning_details: [{ type: "reasoning.encrypted", data: "Yg==", id: "t1", index: 0 }] },
      {
        content: "Three.",
        images: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }],
      },
    );
    expect(message).toEqual({
      role: "assistant",
      content: "Three.",
      reasoning: "One two.",
      reasoning_details: [
        { type: "reasoning.text", text: "One two.", index: 0, format: "a", signature: "c2ln" },
        { type: "reasoning.encrypted", data: "YQ==", id: "t1", index: 0 },
        { type: "reasoning.encrypted", data: "Yg==", id: "t1", index: 0 },
      ],
      images: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }],
      origin,
    });
  });

  it("LiteLLM: continues a thinking block until it is signed", async () => {
    const block = (thinking: string, signature: string | null = null) => ({
      thinking_blocks: [{ type: "thinking", thinking, signature }],
    });
    const { message } = await stored(
      block("One"),
      block(" two."),
      block("", "c2ln"),
      block("Then"),
      block("", "MQ=="),
      { content: "Ok." },
    );
    expect(message).toMatchObject({
      thinking_blocks: [
        { type: "thinking", thinking: "One two.", signature: "c2ln" },
        { type: "thinking", thinking: "Then", signature: "MQ==" },
      ],
    });
  });

  it("Gemini: keeps two calls with the same index apart, each with its signature", async () => {
    const extra = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } });
    const { message } = await stored(
      { tool_calls: [call({ index: 0, id: "a", ...extra("c2ln") }, "{}")] },
      { tool_calls: [call({ index: 0, id: "b" }, "{}")] },
    );
    expect(message?.tool_calls).toEqual([call({ id: "a", ...extra("c2ln") }, "{}"), call({ id: "b" }, "{}")]);
  });

  it.each([
    [
      "Ollama: keeps calls without an index apart",
      [{ tool_calls: [call({ id: "a" }, "{}"), call({ id: "b" }, "{}")] }],
    ],
    [
      "vLLM: accepts a repeated id and name of a call",
      [
        { tool_calls: [call({ index: 0, id: "a" }, '{"x"')] },
        { tool_calls: [call({ index: 0, id: "a" }, ":1}")] },
        { tool_calls: [call({ index: 1, id: "b" }, "{}")] },
      ],
    ],
    [
      "others: separates interleaved calls",
      [
        { tool_calls: [call({ index: 1, id: "b" }), call({ index: 0, id: "a" })] },
        {
          tool_calls: [
            { index: 0, function: { arguments: "{}" } },
            { index: 1, function: { arguments: "{}" } },
          ],
        },
      ],
    ],
    [
      "local models: accepts an object as arguments",
      [
        { tool_calls: [{ id: "a", function: { name: "f", arguments: { x: 1 } } }] },
        { tool_calls: [call({ id: "b" }, "{}")] },
      ],
    ],
  ])("%s", async (_, deltas) => {
    const { message } = await stored(...deltas);
    const calls = message?.tool_calls ?? [];
    expect(calls.map(({ id }) => id).sort()).toEqual(["a", "b"]);
    for (const each of calls)
      expect(each.type === "function" && JSON.parse(each.function.arguments)).toBeInstanceOf(Object);
  });

  it("Mistral: joins content parts with thinking", async () => {
    const thinking = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }] });
    const { message, text } = await stored(
      { content: [thinking("One")] },
      { content: [thinking(" two.")] },
      { content: [{ type: "text", text: "Three" }] },
      { content: "." },
    );
    expect(text).toBe("Three.");
    expect(message).toEqual({
      role: "assistant",
      content: [thinking("One two."), { type: "text", text: "Three." }],
      origin,
    });
  });

  it("others: joins thinking that is a text, and tells it", async () => {
    const { message, reasoning } = await stored(
      { content: [{ type: "thinking", thinking: "One" }] },
      { content: [{ type: "thinking", thinking: " two.", signature: "c2ln" }] },
      { content: "Three." },
    );
    expect(reasoning).toBe("One two.");
    expect(message?.content).toEqual([
      { type: "thinking", thinking: "One two.", signature: "c2ln" },
      { type: "text", text: "Three." },
    ]);
  });

  it("vLLM: tells the reasoning of the field that isn't empty", async () => {
    const { reasoning } = await stored({ reasoning_content: "", reasoning: "Hm." }, { content: "Three." });
    expect(reasoning).toBe("Hm.");
  });

  it("OpenRouter: keeps images with the same index apart", async () => {
    const images = ["AA==", "AQ=="].map((data) => ({
      ...{ type: "image_url", index: 0, image_url: { url: `data:image/png;base64,${data}` } },
    }));
    const { message } = await stored(...images.map((image) => ({ content: "", images: [image] })));
    expect(message?.["images"]).toEqual(images);
  });

  it("Gemini: takes the arguments behind an empty object", async () => {
    const begun = { index: 0, id: "call_1", type: "function", function: { name: "add", arguments: "{}" } };
    const { message } = await stored(
      { tool_calls: [begun] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] },
    );
    expect(message?.tool_calls?.[0]).toMatchObject({ function: { arguments: '{"a":1}' } });
  });

  it("OpenAI: reads one of several choices", async () => {
    const { message, text } = await storedOf(
      [{ index: 0, delta: { role: "assistant", content: "" } }],
      [{ index: 1, delta: { role: "assistant", content: "Two" } }],
      [{ index: 0, delta: { content: "One." } }],
      [
        { index: 1, delta: { content: "." }, finish_reason: "length" },
        { index: 0, delta: {}, finish_reason: "stop" },
      ],
    );
    expect([message?.content, text]).toEqual(["One.", "One."]);
  });

  it("OpenAI: joins audio that is encoded piece by piece", async () => {
    const { message } = await stored(
      { audio: { id: "audio_1", transcript: "H" } },
      { audio: { data: Buffer.from([1]).toString("base64"), transcript: "i." } },
      { audio: { data: Buffer.from([2, 3]).toString("base64") } },
      { audio: { expires_at: 7 } },
    );
    const data = Buffer.from([1, 2, 3]).toString("base64");
    expect(message).toMatchObject({ audio: { id: "audio_1", transcript: "Hi.", data, expires_at: 7 } });
  });
});
