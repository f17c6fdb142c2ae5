import { type Message, type RichMessage, sameJson, validateContinuation } from "@jaf/memory";
import { describe, expect, it } from "vitest";

const rich = (message: RichMessage): Message => message as Message;
const calling = (text: string): Message => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id: "a", type: "function", function: { name: "pay", arguments: text } }],
});
const fromJson = (text: string): unknown => JSON.parse(text);

/** The code that a copy of one stored message is refused with, or `accepted`. */
function verdict(stored: Message, copy: unknown): string {
  const result = validateContinuation([stored], [copy]);
  return result.ok ? "accepted" : result.code;
}

describe("10. no forgery", () => {
  const date = new Date("2026-01-02T03:04:05.678Z");
  it.each<[string, Message, unknown]>([
    ["the order of keys", { role: "user", content: "x" }, { content: "x", role: "user" }],
    [
      "the order of keys inside",
      rich({ role: "user", content: [{ type: "image", size: { w: 1, h: 2 } }] }),
      { role: "user", content: [{ size: { h: 2, w: 1 }, type: "image" }] },
    ],
    [
      "the formatting of numbers",
      rich({ role: "user", content: "x", score: 1, share: 0.00001, zero: 0 }),
      fromJson('{"role": "user", "content": "x", "score": 1.0, "share": 1e-5, "zero": -0}'),
    ],
    [
      "a field that is undefined",
      { role: "user", content: "x" },
      { role: "user", content: "x", name: undefined },
    ],
    [
      "an undefined field inside",
      rich({ role: "user", content: "x", a: [{}] }),
      { role: "user", content: "x", a: [{ b: undefined }] },
    ],
    [
      "a field that is null",
      { role: "user", content: "x" },
      { role: "user", content: "x", tool_call_id: null, tool_calls: null },
    ],
    [
      "a stored field that is null",
      rich({ role: "user", content: "x", refusal: null }),
      { role: "user", content: "x" },
    ],
    [
      "an empty list of calls",
      { role: "assistant", content: "x" },
      { role: "assistant", content: "x", tool_calls: [] },
    ],
    ["null for empty content", { ...calling("{}"), content: "" }, { ...calling("{}"), content: null }],
    ["empty for null content", rich({ ...calling("{}"), content: null }), { ...calling("{}"), content: "" }],
    [
      "a Date as its text",
      rich({ role: "user", content: "x", at: date }),
      { role: "user", content: "x", at: date.toISOString() },
    ],
    [
      "arguments with reordered keys and other white space",
      calling('{"to":"Ann","n":[1,{"a":1,"b":2}]}'),
      calling('{ "n": [1, {"b": 2, "a": 1}], "to": "Ann" }'),
    ],
    [
      "arguments with other numbers and escapes",
      calling('{"n":1,"s":"é"}'),
      calling('{"n":1.0e0,"s":"\\u00e9"}'),
    ],
    ["arguments that are no JSON, spelt alike", calling("{to: Ann"), calling("{to: Ann")],
    ["deep arguments, spelt alike", calling("[".repeat(50_000)), calling("[".repeat(50_000))],
  ])("%s", (_, stored, copy) => {
    // The calls of the stored message are pending, which a copy without anything behind it leaves so.
    expect(verdict(stored, copy)).toBe("accepted");
  });

  it("a copy that went through JSON", () => {
    const stored = rich({
      role: "user",
      content: [{ type: "text", text: "\ud800 😀 \0" }],
      at: date,
      __n: [null, {}],
    });
    expect(verdict(stored, fromJson(JSON.stringify(stored)))).toBe("accepted");
  });
});

describe("a forgery", () => {
  it.each<[string, Message, unknown]>([
    ["text that normalises alike", { role: "user", content: "é" }, { role: "user", content: "e\u0301" }],
    ["white space in content", { role: "user", content: "x" }, { role: "user", content: "x " }],
    [
      "content parts for text",
      { role: "user", content: "x" },
      { role: "user", content: [{ type: "text", text: "x" }] },
    ],
    ["a number as text", rich({ role: "user", content: "x", n: 1 }), { role: "user", content: "x", n: "1" }],
    [
      "null for a value inside",
      rich({ role: "user", content: "x", a: { b: 1 } }),
      { role: "user", content: "x", a: { b: null } },
    ],
    [
      "null for no value inside",
      rich({ role: "user", content: "x", a: {} }),
      { role: "user", content: "x", a: { b: null } },
    ],
    [
      "a list for an object",
      rich({ role: "user", content: "x", a: {} }),
      { role: "user", content: "x", a: [] },
    ],
    ["a field more", { role: "user", content: "x" }, { role: "user", content: "x", name: "root" }],
    ["a field less", rich({ role: "user", content: "x", name: "Ann" }), { role: "user", content: "x" }],
    [
      "the order of a list",
      rich({ role: "user", content: "x", a: [1, 2] }),
      { role: "user", content: "x", a: [2, 1] },
    ],
    ["other arguments", calling('{"to":"Ann"}'), calling('{"to":"Eve"}')],
    ["an argument more", calling('{"to":"Ann"}'), calling('{"to":"Ann","__proto__":{"to":"Eve"}}')],
    ["arguments that are no JSON, spelt differently", calling("{to: Ann"), calling("{to:  Ann")],
    ["JSON for arguments that are none", calling(""), calling("{}")],
    [
      "arguments as an object",
      calling("{}"),
      {
        ...calling("{}"),
        tool_calls: [{ id: "a", type: "function", function: { name: "pay", arguments: {} } }],
      },
    ],
    [
      "a call more",
      calling("{}"),
      {
        ...calling("{}"),
        tool_calls: [...(calling("{}").tool_calls ?? []), ...(calling("{}").tool_calls ?? [])],
      },
    ],
    ["a call less", calling("{}"), { role: "assistant", content: "" }],
    ["another role", { role: "assistant", content: "x" }, { role: "tool", content: "x" }],
  ])("%s", (_, stored, copy) => {
    expect(verdict(stored, copy)).toBe("not-a-prefix");
  });
});

describe("sameJson", () => {
  it("ends with a cycle, and with depth", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(sameJson(cycle, [[[1]]])).toBe(false);
    const nest = () => fromJson("[".repeat(20_000) + "]".repeat(20_000));
    expect(sameJson(nest(), nest())).toBe(false);
  });

  it("takes a Date for its text, and an invalid one for nothing", () => {
    expect(sameJson(new Date(5), new Date(5))).toBe(true);
    expect(sameJson(new Date(5), new Date(6))).toBe(false);
    expect(sameJson(new Date(5), 5)).toBe(false);
    expect(sameJson(new Date(Number.NaN), new Date(Number.NaN))).toBe(false);
  });
});
