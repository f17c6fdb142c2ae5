import fc from "fast-check";
import { expect, it } from "vitest";
import { messageSchema } from "../../../src/codec/messages.ts";
import { isMessage } from "../../../src/history/continuation/added-messages.ts";

const anything = fc.oneof(
  fc.constantFrom(undefined, null, 0, "", "custom", "function", true),
  fc.constant([]),
  fc.constant({}),
  fc.constant(new Date(0)),
  fc.constant(new Uint8Array(1)),
);
const nearly = (value: fc.Arbitrary<unknown>) => fc.oneof({ weight: 6, arbitrary: value }, anything);
const record = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, nearly(value)])), {
    requiredKeys: [],
  });

const text = fc.constantFrom("", "a");
const call = record({
  id: text,
  type: fc.constantFrom("custom", "function", "other", null),
  function: record({ name: text, arguments: text }),
  custom: record({ name: text, input: text }),
});
const message = record({
  role: fc.constantFrom("user", "assistant", "tool", "system", "developer", "clerk"),
  content: fc.oneof(text, fc.array(nearly(record({ type: text, text })), { maxLength: 2 })),
  tool_call_id: text,
  tool_calls: fc.array(nearly(call), { maxLength: 2 }),
  more: text,
});

it("isMessage accepts the same values as the schema", () => {
  let messages = 0;
  fc.assert(
    fc.property(nearly(message), (value) => {
      const expected = messageSchema.safeParse(value).success;
      if (expected) messages += 1;
      expect(isMessage(value)).toBe(expected);
    }),
    { numRuns: 5_000 },
  );
  expect(messages).toBeGreaterThan(100);
});
