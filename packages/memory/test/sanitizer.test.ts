import { isReplayable, type Message, pendingToolCalls, sanitizeConversation } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { mutate, randomFrom } from "./support/mutations.ts";
import { recordedConversations, recordedMissing } from "./support/recorded-conversations.ts";
import { brokenRules } from "./support/replay-rules.ts";

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });
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

describe("sanitizeConversation", () => {
  it("returns a replayable history as the same array", () => {
    const history = [user("hi"), calls(["a", "b"]), result("a"), result("b"), said("done")];
    expect(sanitizeConversation(history)).toBe(history);
  });

  it("drops a dangling call with its message, and keeps the text of one that also spoke", () => {
    expect(sanitizeConversation([user("hi"), calls(["a"])])).toEqual([user("hi")]);
    expect(sanitizeConversation([user("hi"), calls(["a"], "let me look")])).toEqual([
      user("hi"),
      said("let me look"),
    ]);
  });

  it("keeps the answered calls of a partly answered message", () => {
    const sanitized = sanitizeConversation([calls(["a", "b", "c"]), result("c"), result("a"), user("and?")]);
    expect(sanitized).toEqual([calls(["a", "c"]), result("a"), result("c"), user("and?")]);
  });

  it("drops results without a call, without an id, and second results", () => {
    const orphan: Message = { role: "tool", content: "no id" };
    expect(
      sanitizeConversation([
        result("x"),
        user("hi"),
        calls(["a"]),
        result("a"),
        orphan,
        result("a", "again"),
      ]),
    ).toEqual([user("hi"), calls(["a"]), result("a")]);
  });

  it("moves results behind their call, in call order, also when something stands between or the result came first", () => {
    expect(sanitizeConversation([calls(["a", "b"]), user("wait"), result("b"), result("a")])).toEqual([
      calls(["a", "b"]),
      result("a"),
      result("b"),
      user("wait"),
    ]);
    expect(sanitizeConversation([result("a"), calls(["a"])])).toEqual([calls(["a"]), result("a")]);
  });

  it("gives a result to the call it followed when an id is used again", () => {
    const reused = [calls(["a"]), calls(["a"]), result("a", "second")];
    expect(sanitizeConversation(reused)).toEqual([calls(["a"]), result("a", "second")]);
    const both = [calls(["a"]), result("a", "first"), user("more"), calls(["a"]), result("a", "second")];
    expect(sanitizeConversation(both)).toBe(both);
  });

  it("never answers a later call with a copy of an earlier result", () => {
    const copied = [calls(["a"]), result("a", "first"), result("a", "first"), user("more"), calls(["a"])];
    expect(sanitizeConversation(copied)).toEqual([calls(["a"]), result("a", "first"), user("more")]);
  });

  it("never answers a later call with a late second result of an earlier one", () => {
    const late = [
      calls(["a"]),
      result("a", "first"),
      result("a", "late"),
      said("ok"),
      user("delete it"),
      calls(["a"]),
    ];
    expect(sanitizeConversation(late)).toEqual([
      calls(["a"]),
      result("a", "first"),
      said("ok"),
      user("delete it"),
    ]);
  });

  it("moves a result that stands right before its call, also right behind another call of its id", () => {
    const swapped = [calls(["a"]), result("a", "first"), result("a", "second"), calls(["a"]), said("ok")];
    expect(sanitizeConversation(swapped)).toEqual([
      calls(["a"]),
      result("a", "first"),
      calls(["a"]),
      result("a", "second"),
      said("ok"),
    ]);
  });

  it("takes null for no calls, and drops an assistant message that holds nothing", () => {
    const dumped = [
      { role: "assistant", content: "hi", tool_calls: null },
      { role: "assistant", content: null, tool_calls: [] },
      { role: "assistant", content: "" },
      { role: "user", content: "", tool_calls: [{ id: "a" }] },
      { role: "assistant", content: null, attachments: [{ url: "https://example.com" }] },
    ] as unknown as Message[];
    expect(sanitizeConversation(dumped)).toEqual([said("hi"), user(""), dumped[4]]);
    expect(pendingToolCalls(dumped.slice(0, 1))).toBeUndefined();
  });

  it("drops an assistant message of nothing but white space, also beside calls that nobody answered", () => {
    const blank = [
      said(" \n"),
      calls(["a"], "\t\u00a0"),
      { role: "assistant", content: [{ type: "text", text: " " }] },
      { role: "assistant", content: [] },
    ] as unknown as Message[];
    expect(sanitizeConversation([user("hi"), ...blank, user(" ")])).toEqual([user("hi"), user(" ")]);
    const image = { role: "assistant", content: [{ type: "image_url", image_url: { url: "x" } }] };
    const kept = [image as unknown as Message, calls(["b"], " "), result("b")];
    expect(sanitizeConversation(kept)).toBe(kept);
  });

  it("drops the second of two calls of one id in a message, and an empty list of calls", () => {
    expect(sanitizeConversation([calls(["a", "a"]), result("a")])).toEqual([calls(["a"]), result("a")]);
    expect(sanitizeConversation([{ ...said("hi"), tool_calls: [] }])).toEqual([said("hi")]);
  });

  it("keeps unknown fields, and does not change its input", () => {
    const spoke = Object.freeze({ ...calls(["a", "b"], "hm"), refusal: null });
    const history = Object.freeze([spoke, Object.freeze(result("b"))]);
    expect(sanitizeConversation(history)).toEqual([{ ...calls(["b"], "hm"), refusal: null }, result("b")]);
  });

  it("stays linear when one id is used over and over", () => {
    const history = Array.from({ length: 20_000 }, (_, n) =>
      n % 2 === 0 ? result("a", `${n}`) : calls(["a"]),
    );
    const sanitized = sanitizeConversation(history);
    expect(isReplayable(sanitized)).toBe(true);
    const answers = Array.from({ length: 20_000 }, (_, n) => result("a", `${n}`));
    expect(sanitizeConversation([calls(["a"]), ...answers])).toEqual([calls(["a"]), result("a", "0")]);
  });

  const title = (what: string) =>
    recordedMissing === undefined ? what : `${what} (skipped: ${recordedMissing})`;
  it.skipIf(recordedMissing !== undefined)(
    title("makes every prefix of the recorded conversations replayable"),
    () => {
      for (const messages of recordedConversations()) {
        for (let end = 0; end <= messages.length; end++) {
          const prefix = messages.slice(0, end);
          const sanitized = sanitizeConversation(prefix);
          expect(brokenRules(prefix, sanitized)).toEqual([]);
          expect(sanitizeConversation(sanitized)).toBe(sanitized);
        }
      }
    },
  );

  it.skipIf(recordedMissing !== undefined)(
    title("repairs 2,000 mutations of the recorded conversations"),
    () => {
      const conversations = recordedConversations();
      for (let seed = 0; seed < 2_000; seed++) {
        const random = randomFrom(seed);
        const mutated = mutate(conversations[random(conversations.length)] ?? [], random);
        const sanitized = sanitizeConversation(mutated);
        expect(brokenRules(mutated, sanitized), `seed ${seed}`).toEqual([]);
        expect(sanitizeConversation(sanitized), `seed ${seed}`).toBe(sanitized);
      }
    },
  );
});

describe("pendingToolCalls", () => {
  it("names the calls at the tail that have no result, and the results that are there", () => {
    const pending = pendingToolCalls([user("hi"), calls(["a", "b", "c"]), result("c")]);
    expect(pending?.index).toBe(1);
    expect(pending?.missing.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(pending?.results.get("c")).toEqual(result("c"));
  });

  it("names an id that a message uses twice once, so that its tool doesn't run twice", () => {
    expect(pendingToolCalls([calls(["a", "a"])])?.missing).toHaveLength(1);
  });

  it("is undefined when all are answered, when the turn went on, and for an empty history", () => {
    expect(pendingToolCalls([calls(["a"]), result("a")])).toBeUndefined();
    expect(pendingToolCalls([calls(["a"]), user("never mind")])).toBeUndefined();
    expect(pendingToolCalls([])).toBeUndefined();
  });
});
