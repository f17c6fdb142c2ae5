import { describe, expectTypeOf, it } from "vitest";
import type { ModelCompletion, ModelStreamChunk } from "../../src/index.ts";

/** A choice as declared by OpenAI's client, without an index signature. */
interface Choice {
  finish_reason: "stop" | "length" | "tool_calls" | "content_filter" | "function_call";
  index: number;
  message: {
    content: string | null;
    refusal: string | null;
    role: "assistant";
    annotations?: { type: "url_citation"; url_citation: { url: string } }[];
    audio?: { id: string; data: string } | null;
    tool_calls?: (
      | { id: string; type: "function"; function: { name: string; arguments: string } }
      | { id: string; type: "custom"; custom: { name: string; input: string } }
    )[];
  };
}

describe("a completion", () => {
  it("accepts an unchanged choice of OpenAI's", () => {
    expectTypeOf<Choice>().toExtend<ModelCompletion>();
  });

  it("can be written with the fields of the contract", () => {
    const of = (completion: ModelCompletion) => completion;
    const origin = { provider: "p", api: "chat", model: "m" };
    of({ message: { content: "Hi", reasoning_content: "Hm.", providerMetadata: { p: {} } }, origin });
    of({ message: { content: null, refusal: "I can't." }, finish_reason: "stop" });
    of({
      message: {
        content: [
          { type: "reasoning", text: "Hm.", signature: "c2ln" },
          { type: "own", data: 1 },
        ],
        tool_calls: [{ id: "a", type: "custom", custom: { name: "sql", input: "select 1" } }],
      },
    });
    // @ts-expect-error: an origin names all three
    of({ origin: { provider: "p" } });
  });

  it("can be streamed in pieces", () => {
    const of = (chunk: ModelStreamChunk) => chunk;
    of({ type: "reasoning_delta", text: "Hm.", id: "rs_1" });
    of({ type: "part", part: { type: "media", mediaType: "image/png", data: "AAE=" } });
    of({ type: "done", message: { content: "Hi" }, origin: { provider: "p", api: "chat", model: "m" } });
    // @ts-expect-error: a part has a type
    of({ type: "part", part: { data: "AAE=" } });
  });
});
