import type { Message } from "@jaf/memory";
import { pendingToolCalls } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";

const user = (content: string): Message => ({ role: "user", content });

const calls = (ids: string[], content = ""): Message => ({
  role: "assistant",
  content,
  tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "lookup", arguments: "{}" } })),
});

const result = (id: string, content = `result of ${id}`): Message => ({
  role: "tool",
  content,
  tool_call_id: id,
});

describe("pendingToolCalls", () => {
  it("returns the calls without a result at the end, and the existing results", () => {
    const pending = pendingToolCalls([user("hi"), calls(["a", "b", "c"]), result("c")]);
    expect(pending?.index).toBe(1);
    expect(pending?.missing.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(pending?.results.get("c")).toEqual(result("c"));
  });

  it("returns an id that a message uses twice once, so its tool doesn't run twice", () => {
    expect(pendingToolCalls([calls(["a", "a"])])?.missing).toHaveLength(1);
  });

  it('leaves out calls that share the id "", and names one that has it alone', () => {
    expect(pendingToolCalls([calls(["", ""])])).toBeUndefined();
    expect(pendingToolCalls([calls(["", "", "a"])])?.missing.map(({ id }) => id)).toEqual(["a"]);
    expect(pendingToolCalls([calls(["", "a"])])?.missing.map(({ id }) => id)).toEqual(["", "a"]);
  });

  it("uses the first result of an id", () => {
    const pending = pendingToolCalls([calls(["a", "b"]), result("a", "1"), result("a", "2")]);
    expect(pending?.results).toEqual(new Map([["a", result("a", "1")]]));
  });

  it("returns undefined if all are answered, if the turn continued, and for an empty history", () => {
    expect(pendingToolCalls([calls(["a"]), result("a")])).toBeUndefined();
    expect(pendingToolCalls([calls(["a"]), user("never mind")])).toBeUndefined();
    expect(pendingToolCalls([])).toBeUndefined();
  });
});
