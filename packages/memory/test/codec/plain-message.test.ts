import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeJson } from "../../src/codec/json.ts";
import { encodeMessages, encodePlainMessage, messageSchema } from "../../src/codec/messages.ts";
import type { MemoryIssue } from "../../src/contract/errors.ts";
import { messageExamples } from "../../src/testing/fixtures/examples.ts";

const odd = fc.constantFrom<unknown>(undefined, null, "", 5, [], {}, new Date(0), Number.NaN);
const text = fc.oneof(fc.string({ unit: "binary" }), odd);
const fields = (shape: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record({ ...shape, extra: odd }, { requiredKeys: [] }).chain((value) =>
    // In any order, which must be kept.
    fc
      .shuffledSubarray(Object.keys(value))
      .map((keys) => Object.fromEntries(keys.map((key) => [key, (value as Record<string, unknown>)[key]]))),
  );
const call = fields({
  id: text,
  type: fc.oneof({ weight: 4, arbitrary: fc.constant("function") }, odd),
  function: fc.oneof({ weight: 4, arbitrary: fields({ name: text, arguments: text }) }, odd),
});
const part = fields({
  type: fc.oneof({ weight: 6, arbitrary: fc.constant("text") }, fc.constant("other"), odd),
  text,
});
const message = fields({
  role: fc.oneof({ weight: 5, arbitrary: fc.constantFrom("user", "assistant", "tool", "system") }, odd),
  content: fc.oneof(text, fc.array(part, { maxLength: 3 })),
  tool_call_id: text,
  tool_calls: fc.oneof(fc.array(call, { maxLength: 3 }), odd),
  origin: fc.oneof(fields({ provider: text, api: text, model: text, $date: text, 'a"b': text }), odd),
});

describe("the fast encoding of a message", () => {
  it("accepts nothing that the schema refuses, and writes the same text", () => {
    fc.assert(
      fc.property(message, (given) => {
        const encoded = encodePlainMessage(given);
        if (encoded === undefined) return;
        expect(messageSchema.safeParse(given).success).toBe(true);
        expect(encoded.body).toBe(encodeJson(given));
        expect(encoded.isToolResult).toBe(given["role"] === "tool");
      }),
      { numRuns: 2_000 },
    );
  });

  it("accepts the documented shapes with fields in any order", () => {
    const calls = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
    for (const plain of [
      { role: "user", content: "x\0\ud800" },
      { content: "", role: "assistant", tool_calls: calls },
      { role: "tool", tool_call_id: "c", content: "r", tool_calls: undefined },
      { role: "assistant", content: "x", origin: { provider: "p", api: "a", model: "m" } },
      { role: "user", content: [] },
      {
        role: "user",
        content: [
          { type: "text", text: "x" },
          { text: '"', type: "text" },
        ],
      },
    ]) {
      expect(encodePlainMessage(plain)?.body).toBe(JSON.stringify(plain));
    }
    for (const example of Object.values(messageExamples)) {
      expect([undefined, encodeJson(example)]).toContain(encodePlainMessage(example)?.body);
    }
  });

  it("leaves messages that only look plain to the slow encoding", () => {
    const plain = { role: "user", content: "x" };
    const calls = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
    class Typed {
      readonly role = "user";
      readonly content = "x";
    }
    const suspects = [
      new Typed(),
      Object.create(plain),
      Object.assign(Object.create(null), plain),
      { ...plain, [Symbol("s")]: 1 },
      { ...plain, toJSON: () => ({}) },
      Object.defineProperty({ ...plain }, "toJSON", { value: () => ({}) }),
      Object.defineProperty({ content: "x" }, "role", { value: "user" }),
      Object.assign([], plain),
      { ...plain, tool_calls: Object.assign([...calls], { named: 1 }) },
      { ...plain, tool_calls: new Array(1) },
      { ...plain, content: new Array(1) },
      { ...plain, content: [Object.defineProperty({ text: "x" }, "type", { value: "text" })] },
      { ...plain, content: [{ type: "text", text: "x", toJSON: () => "y" }] },
      { ...plain, content: [{ type: "text", text: "x", more: 1 }] },
      { ...plain, tool_calls: [{ ...calls[0], function: new Typed() }] },
    ];
    for (const suspect of suspects) expect(encodePlainMessage(suspect)).toBeUndefined();
  });

  it("stores the checked value if a field changes between reads", () => {
    let reads = 0;
    const shifty = {
      role: "user",
      get content() {
        reads += 1;
        return reads === 1 ? "x" : { not: "text" };
      },
    };
    expect(encodePlainMessage(shifty)?.body).toBe('{"role":"user","content":"x"}');
    reads = 0;
    const shiftyPart = {
      type: "text",
      get text() {
        reads += 1;
        return reads === 1 ? "x" : { not: "text" };
      },
    };
    const ofParts = encodePlainMessage({ role: "user", content: [shiftyPart] });
    expect(ofParts?.body).toBe('{"role":"user","content":[{"type":"text","text":"x"}]}');
  });
});

describe("the check of a message without a schema", () => {
  it("accepts and refuses what the schema does", () => {
    fc.assert(
      fc.property(message, (given) => {
        const issues: MemoryIssue[] = [];
        encodeMessages([given], issues);
        let stored: unknown;
        try {
          stored = JSON.parse(encodeJson(given));
        } catch {
          expect(issues).not.toEqual([]);
          return;
        }
        expect(issues.length === 0).toBe(messageSchema.safeParse(stored).success);
      }),
      { numRuns: 2_000 },
    );
  });
});
