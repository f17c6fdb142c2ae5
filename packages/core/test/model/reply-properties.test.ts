import { parseMessages, type RichMessage } from "@jaf/memory";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelCompletion, ModelStreamChunk } from "../../src/index.ts";
import { parseReply } from "../../src/model/reply.ts";
import { collectStream } from "../../src/model/stream.ts";

const id = fc.constantFrom("a", "b", "", undefined);

const name = fc.string({ minLength: 1 });

const part = fc.oneof(
  fc.record({ type: fc.constant("text"), text: fc.string() }),
  fc.record(
    { type: fc.constant("reasoning"), text: fc.string(), signature: fc.string() },
    { requiredKeys: ["type"] },
  ),
  fc.record({ type: fc.constant("refusal"), refusal: fc.string() }),
  fc.record({ type: fc.constant("media"), mediaType: fc.constant("image/png"), data: fc.uint8Array() }),
  fc.record({ type: fc.constant("tool-call"), id }),
  fc.record({ type: fc.string(), data: fc.jsonValue() }),
);

const call = fc.oneof(
  fc.record({
    id,
    type: fc.constant("function"),
    function: fc.record({ name, arguments: fc.string() }),
  }),
  fc.record({
    id,
    type: fc.constant("custom"),
    custom: fc.record({ name, input: fc.string() }),
  }),
  fc.record({ id, function: fc.record({ name }), extra: fc.jsonValue() }),
  fc.jsonValue(),
);

const message = fc.record(
  {
    content: fc.oneof(fc.string(), fc.constant(null), fc.array(part, { maxLength: 5 }), fc.jsonValue()),
    tool_calls: fc.oneof(fc.array(call, { maxLength: 4 }), fc.constant(null)),
    refusal: fc.oneof(fc.string(), fc.constant(null)),
    reasoning_details: fc.jsonValue(),
    id: fc.string(),
    providerMetadata: fc.dictionary(fc.string(), fc.jsonValue()),
  },
  { requiredKeys: [] },
);

const isFrozenThroughout = (value: unknown): boolean =>
  typeof value !== "object" ||
  value === null ||
  value instanceof Uint8Array ||
  (Object.isFrozen(value) && Object.values(value).every(isFrozenThroughout));

type Piece = Extract<ModelStreamChunk, { readonly type: "text_delta" | "reasoning_delta" | "part" }>;

/** What the pieces make, by the plainest rule: one part each, and then neighbours of a kind are joined. */
function contentOf(pieces: readonly Piece[]): unknown {
  if (pieces.every(({ type }) => type === "text_delta")) {
    return pieces.map((each) => (each.type === "part" ? "" : each.text)).join("");
  }
  const parts: { type: string; text?: string; isJoined?: boolean }[] = [];
  for (const each of pieces) {
    const last = parts.at(-1);
    const type = each.type.replace("_delta", "");
    if (each.type === "part") parts.push({ ...each.part });
    else if (last?.isJoined === true && last.type === type) last.text += each.text;
    else parts.push({ type, text: each.text, isJoined: true });
  }
  return parts.map(({ isJoined: _, ...made }) => made);
}

describe("any reply", () => {
  it("is refused, or becomes a frozen message that a store can hold and that parses to itself", () => {
    let usable = 0;
    fc.assert(
      fc.property(message, (sent) => {
        const reply = parseReply({ message: sent } as unknown as ModelCompletion);
        usable += reply.ok ? 1 : 0;
        if (!reply.ok) return;
        const kept: RichMessage = reply.message;
        expect(isFrozenThroughout(kept)).toBe(true);
        expect(parseMessages([kept]).success).toBe(true);
        const ids = (kept.tool_calls ?? []).map((made) => made.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(parseReply({ message: kept } as ModelCompletion)).toStrictEqual({ ok: true, message: kept });
      }),
      { numRuns: 1_000 },
    );
    expect(usable).toBeGreaterThan(300);
  });

  it("is joined in the order of its pieces without loss", async () => {
    const chunk: fc.Arbitrary<Piece> = fc.oneof(
      fc.record({ type: fc.constant("text_delta" as const), text: fc.string() }),
      fc.record({ type: fc.constant("reasoning_delta" as const), text: fc.string() }),
      fc.record({ type: fc.constant("part" as const), part }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(chunk), async (chunks) => {
        async function* stream(): AsyncGenerator<ModelStreamChunk> {
          yield* chunks;
          yield { type: "done" };
        }
        const told: string[] = [];
        const completion = await collectStream(stream(), {
          signal: undefined,
          onText: (text) => told.push(`text ${text}`),
          onReasoning: (text) => told.push(`reasoning ${text}`),
          onPart: (each) => told.push(`part ${JSON.stringify(each)}`),
        });
        const pieces = chunks.filter((each) => each.type === "part" || each.text !== "");
        expect(told).toEqual(
          pieces.map((each) =>
            each.type === "part"
              ? `part ${JSON.stringify(each.part)}`
              : `${each.type.replace("_delta", "")} ${each.text}`,
          ),
        );
        expect(completion.message?.content).toEqual(contentOf(pieces));
      }),
    );
  });
});
