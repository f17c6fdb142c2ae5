import { describe, expect, it } from "vitest";
import { decodeMessage, encodeMessages } from "../../src/codec/messages.ts";
import type { MemoryIssue } from "../../src/index.ts";

function encode(message: object) {
  const issues: MemoryIssue[] = [];
  const [encoded] = encodeMessages([message], issues);
  return { encoded, issues };
}

/** Returns one value after the other, then always the last. */
const shifting = (field: string, ...answers: readonly unknown[]) =>
  Object.defineProperty({ extra: null }, field, {
    enumerable: true,
    get: (() => {
      let reads = 0;
      return () => answers[Math.min(reads++, answers.length - 1)];
    })(),
  });

describe("a message that changes between reads", () => {
  it.each([1, 2, 3, 4, 5])("is stored as a message or refused if it changes at read %i", (read) => {
    for (const [field, good, bad] of [
      ["role", "user", "root"],
      ["role", "user", undefined],
      ["role", "tool", "user"],
      ["content", "x", 5],
      ["tool_calls", undefined, "none"],
    ] as const) {
      const answers = [...new Array<unknown>(read).fill(good), bad];
      const rest = { role: "user", content: "x" };
      const message = Object.defineProperties(
        {},
        {
          ...Object.getOwnPropertyDescriptors(rest),
          ...Object.getOwnPropertyDescriptors(shifting(field, ...answers)),
        },
      );
      const { encoded, issues } = encode(message);
      if (issues.length > 0 || encoded === undefined) continue;
      const stored = decodeMessage(encoded.body, 0);
      expect(encode(stored).issues).toEqual([]);
      expect(encoded.isToolResult).toBe(stored.role === "tool");
    }
  });
});

describe("a message with hidden fields", () => {
  const hide = (message: object, field: string, value: unknown) =>
    Object.defineProperty(message, field, { value });

  it("is checked by its stored form, with and without additional fields", () => {
    for (const extra of [{}, { extra: null }]) {
      const calls = encode(hide({ role: "user", content: "x", ...extra }, "tool_calls", "malformed"));
      expect(calls.issues).toEqual([]);
      const role = encode(hide({ content: "x", ...extra }, "role", "user"));
      expect(role.issues.map(({ path }) => path)).toEqual(["messages[0].role"]);
    }
  });
});
