import { describe, expect, it } from "vitest";
import { parseMessages } from "../../src/index.ts";
import { messageExamples, refusedValues } from "../../src/testing/fixtures/examples.ts";
import { expectError, expectOk } from "../../src/testing/fixtures/expectations.ts";

describe("parseMessages", () => {
  it("returns the same array if a store would accept it", () => {
    const messages = Object.values(messageExamples);
    expect(expectOk(parseMessages(messages))).toBe(messages);
    expect(expectOk(parseMessages([]))).toEqual([]);
  });

  it.each(Object.entries(refusedValues))("refuses %s with its path", (_, [value, path]) => {
    const parsed = parseMessages([{ role: "user", content: "x", custom: value }]);
    const error = expectError(parsed, "MemoryValidationError");
    expect(error.issues).toEqual([{ path: `messages[0].custom${path}`, expected: expect.any(String) }]);
    expect(error.operation).toBe("parseMessages");
  });

  it("lists every issue, and the first five in the message", () => {
    const messages = Array.from({ length: 7 }, () => ({ role: "root", content: "s3cret" }));
    const error = expectError(parseMessages(messages), "MemoryValidationError");
    expect(error.issues.map(({ path }) => path)).toEqual(
      messages.map((_, index) => `messages[${index}].role`),
    );
    expect(error.message).toContain("messages[4].role: expected one of");
    expect(error.message).toContain("and 2 more");
    expect(JSON.stringify(error)).not.toContain("s3cret");
  });

  it.each([undefined, null, "text", 5, {}, new Set()])("refuses %s as a list of messages", (value) => {
    expect(expectError(parseMessages(value), "MemoryValidationError").issues).toEqual([
      { path: "messages", expected: "an array of messages" },
    ]);
  });
});
