import fc from "fast-check";
import { expect, it } from "vitest";
import { createAiSdkProvider } from "../../src/index.ts";
import { ask, streamed } from "../support/asked.ts";
import { streamOf } from "../support/models.ts";

/** An item of a reply, in one piece and as pieces of a stream. */
interface Item {
  readonly whole: object;
  readonly pieces: readonly object[];
}

const once = (item: object): Item => ({ whole: item, pieces: [{ type: "raw", rawValue: {} }, item] });

const block = fc
  .record({
    type: fc.constantFrom("text", "reasoning"),
    deltas: fc.array(fc.constantFrom("a", "", "😀"), { maxLength: 3 }),
    metadata: fc.constantFrom({}, { providerMetadata: { some: { signature: "x" } } }),
  })
  .map(
    ({ type, deltas, metadata }): Item => ({
      whole: { type, text: deltas.join(""), ...metadata },
      pieces: [
        { type: `${type}-start`, id: "0" },
        ...deltas.map((delta) => ({ type: `${type}-delta`, id: "0", delta })),
        { type: `${type}-end`, id: "0", ...metadata },
      ],
    }),
  );

/** What may stand behind a call that the provider runs. */
const answers = (id: string) => {
  const result = once({ type: "tool-result", toolCallId: id, toolName: "find", result: { ok: true } });
  const early = once({ ...result.whole, result: "so far", preliminary: true });
  const asks = once({ type: "tool-approval-request", toolCallId: id, approvalId: `approval of ${id}` });
  return fc.constantFrom([], [result], [early, result], [asks]);
};

const callOf = (id: string) =>
  fc
    .record({ isProviders: fc.boolean(), begins: fc.boolean(), ends: fc.boolean(), answers: answers(id) })
    .map(({ isProviders, begins, ends, answers }): Item[] => {
      const executed = isProviders ? { providerExecuted: true } : {};
      const call = { type: "tool-call", toolCallId: id, toolName: "find", input: "{}", ...executed };
      const start = { type: "tool-input-start", id, toolName: "find", ...executed };
      const input = [start, { type: "tool-input-delta", id, delta: "{}" }];
      const end = ends ? [{ type: "tool-input-end", id }] : [];
      const pieces = [...(begins ? [...input, ...end] : []), call];
      return [{ whole: call, pieces }, ...(isProviders ? answers : [])];
    });

const other = fc.constantFrom(
  once({ type: "source", sourceType: "url", id: "s", url: "https://a.example" }),
  once({ type: "file", mediaType: "image/png", data: "aGk=" }),
  once({ type: "custom", kind: "some.thing", providerMetadata: { some: { a: 1 } } }),
);

const items = fc
  .tuple(...["c1", "c2"].map(callOf), fc.array(block, { maxLength: 4 }), fc.array(other, { maxLength: 3 }))
  .chain((parts) => fc.shuffledSubarray([...parts], { minLength: 1 }))
  .map((parts) => parts.flat());

it("a stream tells each part and call once, and ends with the message of the whole reply", async () => {
  await fc.assert(
    fc.asyncProperty(items, async (reply) => {
      const end = { finishReason: { unified: "stop", raw: "stop" }, usage: undefined };
      const pieces = [...reply.flatMap((item) => item.pieces), { type: "finish", ...end }];
      const model = {
        ...{ specificationVersion: "v4", provider: "some.chat", modelId: "m" },
        doGenerate: async () => ({ content: reply.map((item) => item.whole), ...end }),
        doStream: async () => ({ stream: streamOf(pieces as never) }),
      };
      const provider = createAiSdkProvider<object>(model);
      const { message } = await ask(provider);
      const chunks = await streamed(provider);
      expect(chunks.at(-1)).toMatchObject({ type: "done" });
      expect(chunks.at(-1)).toHaveProperty("message", message);
      const content = typeof message?.content === "string" ? [] : (message?.content ?? []);
      const parts = content.filter(({ type }) => !/^(text|reasoning|tool-call)$/.test(type));
      const told = chunks.flatMap((chunk) => (chunk.type === "part" ? [chunk.part] : []));
      expect(told.map(textOf).sort()).toEqual(parts.map(textOf).sort());
      const called = chunks.flatMap((chunk) => (chunk.type === "tool_call_delta" ? [chunk.id] : []));
      expect(called.sort()).toEqual((message?.tool_calls ?? []).map(({ id }) => id).sort());
    }),
    { numRuns: 200 },
  );
});

const textOf = (value: unknown): string => JSON.stringify(value);
