import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trimStart } from "../../src/in-memory/write.ts";

const history = fc.array(fc.constantFrom("other", "result"), { maxLength: 30 });
const isToolResult = (kind: string) => kind === "result";

describe("trimStart", () => {
  it("keeps everything within the limit, and never drops more than needed", () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 30 }), (messages, maxMessages) => {
        const start = trimStart(messages, maxMessages, isToolResult);
        const cut = Math.max(0, messages.length - maxMessages);
        if (cut === 0) expect(start).toBe(0);
        // Between the cut and the start there are only results without their call.
        else expect(messages.slice(cut, start).every(isToolResult)).toBe(true);
      }),
    );
  });

  it("never begins with a result without its call, unless there are only results", () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 30 }), (messages, maxMessages) => {
        const start = trimStart(messages, maxMessages, isToolResult);
        if (start === 0 || messages.every(isToolResult)) return;
        expect(messages[start]).toBe("other");
      }),
    );
  });

  it("only exceeds the limit for a last group", () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 30 }), (messages, maxMessages) => {
        const kept = messages.slice(trimStart(messages, maxMessages, isToolResult));
        if (kept.length > maxMessages) expect(kept.slice(1).every(isToolResult)).toBe(true);
      }),
    );
  });
});
