import { describe, expect, it } from "vitest";
import type { ModelStreamChunk } from "../../src/index.ts";
import { collectStream } from "../../src/model/stream.ts";

async function* stream(...chunks: readonly ModelStreamChunk[]): AsyncGenerator<ModelStreamChunk> {
  yield* chunks;
}

const collect = (chunks: readonly ModelStreamChunk[], onText: (text: string) => void = () => undefined) =>
  collectStream(stream(...chunks), { signal: undefined, onText });

const text = (piece: string): ModelStreamChunk => ({ type: "text_delta", text: piece });
const done: ModelStreamChunk = { type: "done" };

describe("a streamed reply that violates the contract", () => {
  const call = (piece: object) => ({ type: "tool_call_delta", ...piece }) as ModelStreamChunk;
  const callsOf = async (...pieces: readonly object[]) =>
    (await collect([...pieces.map(call), done])).message?.tool_calls?.map((made) => [
      made.id,
      made.function?.name,
      made.function?.arguments,
    ]);

  it("groups calls by id if the pieces have no index", async () => {
    const pieces = [
      { id: "a", name: "first", arguments: '{"x"' },
      { id: "b", name: "second", arguments: "{" },
      { id: "a", arguments: ":1}" },
      { id: "b", arguments: "}" },
    ];
    expect(await callsOf(...pieces)).toEqual([
      ["a", "first", '{"x":1}'],
      ["b", "second", "{}"],
    ]);
  });

  it("adds a piece without index and id to the previous call", async () => {
    const pieces = [
      { id: "a", name: "first" },
      { arguments: "{" },
      { id: "b", name: "second" },
      { arguments: "[" },
    ];
    expect(await callsOf(...pieces)).toEqual([
      ["a", "first", "{"],
      ["b", "second", "["],
    ]);
    expect(await callsOf({ name: "only", arguments: "{}" })).toEqual([["", "only", "{}"]]);
  });

  it("accepts decoded arguments", async () => {
    expect(await callsOf({ index: 0, id: "a", name: "x", arguments: { y: 1 } })).toEqual([
      ["a", "x", '{"y":1}'],
    ]);
  });

  it("ignores chunks of unknown types and text that isn't a string", async () => {
    const odd = [
      { type: "thought_delta", text: "hmm" },
      { type: "ping" },
      { type: "text_delta" },
      { type: "text_delta", text: null },
      { type: "text_delta", text: 5 },
      null,
      undefined,
    ] as unknown as ModelStreamChunk[];
    const pieces: string[] = [];
    const { message } = await collect([text("a"), ...odd, text("b"), done], (piece) => pieces.push(piece));
    expect(message).toEqual({ content: "ab", tool_calls: [] });
    expect(pieces).toEqual(["a", "b"]);
  });

  it("can come from a sync iterator", async () => {
    const chunks = [text("Hello."), done];
    const source = {
      [Symbol.asyncIterator]: () => ({ next: () => ({ done: false, value: chunks.shift() ?? done }) }),
    } as unknown as AsyncIterable<ModelStreamChunk>;
    for (const signal of [undefined, new AbortController().signal]) {
      chunks.splice(0, 2, text("Hello."), done);
      const { message } = await collectStream(source, { signal, onText: () => undefined });
      expect(message?.content).toBe("Hello.");
    }
  });
});
