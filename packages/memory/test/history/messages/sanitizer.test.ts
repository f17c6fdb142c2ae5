import { type Message, type RichMessage, sanitizeConversation } from "@jaf/memory";
import { isReplayable, pendingToolCalls } from "@jaf/memory/history";
import { sanitizeWithOrigins } from "@jaf/memory/internal";
import { describe, expect, it } from "vitest";
import { mutate, randomFrom } from "../mutations.ts";
import { recordedConversations, recordedMissing } from "../recorded-conversations.ts";
import { richHistory } from "../rich-histories.ts";
import { brokenRules } from "./replay-rules.ts";

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

/** Returns all frozen values in a value, at any depth. */
function frozenIn(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(frozenIn);
  return Object.isFrozen(value) ? [value, ...inside] : inside;
}

describe("sanitizeConversation", () => {
  it("returns a replayable history as the same array", () => {
    const history = [user("hi"), calls(["a", "b"]), result("a"), result("b"), said("done")];
    expect(sanitizeConversation(history)).toBe(history);
  });

  it("drops a dangling call with its message, and keeps the text of a message with content", () => {
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

  it("moves results directly after their call, in call order, even if other messages are between them or the result came first", () => {
    expect(sanitizeConversation([calls(["a", "b"]), user("wait"), result("b"), result("a")])).toEqual([
      calls(["a", "b"]),
      result("a"),
      result("b"),
      user("wait"),
    ]);
    expect(sanitizeConversation([result("a"), calls(["a"])])).toEqual([calls(["a"]), result("a")]);
  });

  it("gives a result to the call before it if an id is used again", () => {
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

  it("moves a result that is directly before its call, even directly after another call with its id", () => {
    const swapped = [calls(["a"]), result("a", "first"), result("a", "second"), calls(["a"]), said("ok")];
    expect(sanitizeConversation(swapped)).toEqual([
      calls(["a"]),
      result("a", "first"),
      calls(["a"]),
      result("a", "second"),
      said("ok"),
    ]);
  });

  it("treats null as no calls, and drops an empty assistant message", () => {
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

  it("drops an assistant message with only white space, even with unanswered calls", () => {
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

  it("drops the second of two answered calls of one id in a message, with its result", () => {
    const twice = [calls(["a", "a"]), result("a", "1"), result("a", "2"), user("and?")];
    expect(sanitizeConversation(twice)).toEqual([calls(["a"]), result("a", "1"), user("and?")]);
  });

  it("keeps unknown fields, and doesn't change its input", () => {
    const spoke = Object.freeze({ ...calls(["a", "b"], "hm"), refusal: null });
    const history = Object.freeze([spoke, Object.freeze(result("b"))]);
    expect(sanitizeConversation(history)).toEqual([{ ...calls(["b"], "hm"), refusal: null }, result("b")]);
  });

  it("doesn't freeze its input", () => {
    const content = [{ type: "text", text: "hm" }];
    const history = [{ ...calls(["a", "b"]), content }, result("b")] as RichMessage[];
    const [message] = sanitizeConversation(history);
    expect(message).toEqual({ ...calls(["b"]), content });
    expect(Object.isFrozen(message?.content)).toBe(true);
    expect(frozenIn(history)).toEqual([]);
  });

  it("stays linear if one id is used repeatedly", () => {
    const history = Array.from({ length: 20_000 }, (_, n) =>
      n % 2 === 0 ? result("a", `${n}`) : calls(["a"]),
    );
    const sanitized = sanitizeConversation(history);
    expect(isReplayable(sanitized)).toBe(true);
    const answers = Array.from({ length: 20_000 }, (_, n) => result("a", `${n}`));
    expect(sanitizeConversation([calls(["a"]), ...answers])).toEqual([calls(["a"]), result("a", "0")]);
  });

  describe("with rich messages", () => {
    const rich = (message: object): Message => message as Message;
    const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
    const place = (id: string) => ({ type: "tool-call", id });
    const thought = (text: string) => ({ type: "reasoning", text, signature: `signs ${text}` });
    const text = (said: string) => ({ type: "text", text: said });
    const assistant = (content: unknown, ...ids: string[]) =>
      rich({ role: "assistant", content, ...(ids.length === 0 ? {} : { tool_calls: ids.map(call) }) });

    it.each<[string, object]>([
      ["a refusal", { content: null, refusal: "No." }],
      ["audio", { content: null, audio: { id: "audio_1" } }],
      ["annotations", { content: "", annotations: [{ type: "url_citation" }] }],
      ["reasoning_content", { content: "", reasoning_content: "Hm." }],
      ["reasoning_details", { content: "", reasoning_details: [{ type: "reasoning.encrypted", data: "x" }] }],
      ["an unknown field", { content: "", made_up: new Uint8Array([1]) }],
      ["a reasoning part", { content: [thought("Hm.")] }],
      ["a redacted thinking block", { content: [{ type: "redacted_thinking", data: "x" }] }],
      ["a refusal part", { content: [{ type: "refusal", refusal: "No." }] }],
      ["media", { content: [{ type: "media", mediaType: "image/png", data: "AAAA" }] }],
      ["an empty text with a signature", { content: [{ type: "text", text: "", thoughtSignature: "s" }] }],
      ["an empty text with metadata", { content: [{ ...text(""), providerMetadata: { google: { s: 1 } } }] }],
      [
        "a call of the AI SDK",
        { content: [{ type: "tool-call", toolCallId: "a", toolName: "f", input: {} }] },
      ],
    ])("keeps an assistant message that holds %s and no text", (_, fields) => {
      const history = [user("hi"), rich({ role: "assistant", ...fields })];
      expect(sanitizeConversation(history)).toBe(history);
    });

    it.each<[string, object]>([
      ["empty fields", { content: null, refusal: null, annotations: [], audio: null, reasoning_content: "" }],
      ["labels", { content: "", id: "msg_1", name: "bot", type: "message", status: "completed", index: 0 }],
      [
        "an origin and metadata",
        { content: " ", origin: { provider: "p" }, providerMetadata: { p: { a: 1 } } },
      ],
      ["blank texts of a provider's", { content: [{ type: "output_text", text: " ", annotations: [] }] }],
      ["the place of a call that it doesn't make", { content: [place("a")] }],
    ])("drops an assistant message of nothing but %s", (_, fields) => {
      expect(sanitizeConversation([user("hi"), rich({ role: "assistant", ...fields })])).toEqual([
        user("hi"),
      ]);
    });

    it("keeps user, system and developer messages in place with any content", () => {
      const image = { type: "media", mediaType: "image/png", data: new Uint8Array([1]) };
      const history = [
        rich({ role: "system", content: "" }),
        rich({ role: "user", content: [image] }),
        assistant([{ type: "provider-tool-call", id: "p", name: "search" }], "a"),
        result("a"),
        rich({ role: "developer", content: [] }),
      ];
      expect(sanitizeConversation(history)).toBe(history);
      const moved = [...history.slice(0, 3), ...history.slice(3).reverse()];
      expect(sanitizeConversation(moved)).toEqual(history);
    });

    it("drops a call's part with it, and the reasoning for it alone", () => {
      const parts = [thought("1"), text("let me see"), place("a"), thought("2"), place("b")];
      const history = [assistant(parts, "a", "b"), result("a"), user("and?")];
      expect(sanitizeConversation(history)).toEqual([
        assistant(parts.slice(0, 3), "a"),
        result("a"),
        user("and?"),
      ]);
      const other = [assistant(parts, "a", "b"), result("b")];
      expect(sanitizeConversation(other)).toEqual([
        assistant([thought("1"), text("let me see"), thought("2"), place("b")], "b"),
        result("b"),
      ]);
    });

    it("keeps the reasoning for the next call", () => {
      const parts = [thought("1"), thought("2"), place("a"), thought("3"), place("b")];
      const history = [assistant(parts, "a", "b"), result("b")];
      expect(sanitizeConversation(history)[0]).toEqual(assistant([thought("3"), place("b")], "b"));
    });

    it("keeps the reasoning for several calls if one of them stays, with or without its part", () => {
      const history = [assistant([thought("1"), place("a"), place("b")], "a", "b"), result("b")];
      expect(sanitizeConversation(history)[0]).toEqual(assistant([thought("1"), place("b")], "b"));
      const behind = [assistant([thought("1"), place("a")], "a", "b"), result("b")];
      expect(sanitizeConversation(behind)[0]).toEqual(assistant([thought("1")], "b"));
      const without = [assistant([text("hm"), thought("1")], "a"), user("and?")];
      expect(sanitizeConversation(without)[0]).toEqual(assistant([text("hm")]));
    });

    it("drops a message if only reasoning remains, and a separate message of reasoning before it", () => {
      const unanswered = [
        user("hi"),
        assistant([thought("0")]),
        assistant([thought("1"), place("a")], "a"),
        user("and?"),
        rich({ ...calls(["a"]), reasoning_content: "Hm.", reasoning_details: [{ text: "Hm." }] }),
      ];
      expect(sanitizeConversation(unanswered)).toEqual([user("hi"), user("and?")]);
      const spoke = rich({ ...calls(["a"]), refusal: "No.", reasoning_content: "Hm." });
      expect(sanitizeConversation([spoke])).toEqual([
        rich({ ...said(""), refusal: "No.", reasoning_content: "Hm." }),
      ]);
    });

    it("drops all reasoning before a dropped call, even at the start", () => {
      const history = [assistant([thought("0")]), assistant([thought("1")]), calls(["a"]), user("and?")];
      expect(sanitizeConversation(history)).toEqual([user("and?")]);
      const spoke = [assistant([thought("0")]), assistant([thought("1"), text("Hm.")]), calls(["a"])];
      expect(sanitizeConversation(spoke)).toEqual(spoke.slice(0, 2));
    });

    it("keeps results with call ids in their parts, and no others without an id", () => {
      const output = { type: "tool-result", toolCallId: "x", output: 1 };
      const named = rich({ role: "tool", content: [text("before"), output] });
      const unnamed = rich({ role: "tool", content: [text("before")] });
      const ofNoCall = rich({ role: "tool", tool_call_id: "x", content: [output] });
      expect(sanitizeConversation([user("hi"), named, unnamed, ofNoCall, calls(["a"])])).toEqual([
        user("hi"),
        named,
      ]);
    });

    it("keeps a message with a non-empty additional field", () => {
      const holding = (value: unknown) => rich({ ...said(""), annotations: value });
      const kept = [[1], new URL("https://example.com"), { a: 1 }, new Uint8Array([1]), "x"].map(holding);
      const empty = [[], {}, new Uint8Array(0), " ", null, 1, true, new Date(0)].map(holding);
      expect(sanitizeConversation([...kept, ...empty])).toEqual(kept);
    });

    it("matches results to custom calls, and to calls without a type", () => {
      const history = [
        rich({
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "a", type: "custom", custom: { name: "f", input: "x" } },
            { id: "b", function: { name: "f", arguments: "{}" }, extra_content: { google: {} } },
          ],
        }),
        result("a"),
        result("b"),
      ];
      expect(sanitizeConversation(history)).toBe(history);
      expect(sanitizeConversation([...history].reverse())).toEqual(history);
    });

    it('gives calls with the id "" their results in their order', () => {
      const history = [assistant(null, "", ""), result("", "same"), result("", "same"), user("and?")];
      expect(sanitizeConversation(history)).toBe(history);
      const moved = [history[0], history[3], history[1], history[2]] as Message[];
      expect(sanitizeConversation(moved)).toEqual(history);
    });

    it("loses nothing else in 2,000 broken histories", () => {
      for (let seed = 0; seed < 2_000; seed++) {
        const random = randomFrom(seed);
        const mutated = mutate(richHistory(random), random);
        const sanitized = sanitizeConversation(mutated);
        expect(frozenIn(mutated), `seed ${seed}`).toEqual([]);
        expect(isReplayable(sanitized), `seed ${seed}`).toBe(true);
        expect(brokenRules(mutated, sanitized), `seed ${seed}`).toEqual([]);
        expect(sanitizeConversation(sanitized), `seed ${seed}`).toBe(sanitized);
      }
    });
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

describe("sanitizeWithOrigins", () => {
  it("returns the origin of each message: moved, repaired, after dropped ones", () => {
    const history: Message[] = [
      said(""),
      calls(["a", "b", "lost"]),
      user("2"),
      result("b"),
      result("a"),
      result("nobody"),
    ];
    const { messages, originOf } = sanitizeWithOrigins(history);
    expect(messages).toEqual(sanitizeConversation(history));
    expect(messages.map((_, index) => originOf(index))).toEqual([1, 4, 3, 2]);
    expect(sanitizeWithOrigins(messages).originOf(2)).toBe(2);
  });
});

describe("another framework's answer to a request for an approval", () => {
  const approved = { type: "tool-approval-response", approvalId: "p", approved: true };
  const answer = (fields: Partial<RichMessage> = {}): RichMessage => ({
    ...{ role: "tool", content: [approved] },
    ...fields,
  });
  const call = { type: "tool-call", toolCallId: "a", toolName: "lookup", input: {} };
  const request = { type: "tool-approval-request", approvalId: "p", toolCallId: "a" };
  const rich = (messages: readonly (Message | RichMessage)[]) => messages as readonly RichMessage[];

  it("stays in a history of the AI SDK, whose messages have their calls in parts", () => {
    const output = {
      type: "tool-result",
      toolCallId: "a",
      toolName: "lookup",
      output: { type: "text", value: "" },
    };
    const history: RichMessage[] = [
      user("hi"),
      { role: "assistant", content: [call, request] },
      answer(),
      { role: "tool", content: [output] },
    ];
    expect(sanitizeConversation(history)).toBe(history);
    expect(sanitizeConversation(history.slice(0, 3))).toEqual(history.slice(0, 3));
    expect(sanitizeConversation([...history, calls(["b"])])).toEqual(history);
  });

  it("is checked in time linear in the number of answers", () => {
    const asked = Array.from({ length: 2_000 }, (_, index) => ({ ...request, approvalId: `${index}` }));
    let reads = 0;
    const content = new Proxy(asked, {
      get: (parts, field) => {
        reads += field === "length" ? 1 : 0;
        return Reflect.get(parts, field) as unknown;
      },
    });
    const answers = asked.map(({ approvalId }) => answer({ content: [{ ...approved, approvalId }] }));
    expect(isReplayable([user("hi"), { role: "assistant", content }, ...answers])).toBe(true);
    expect(reads).toBeLessThan(100);
  });

  it("is dropped if nothing asked for it", () => {
    expect(sanitizeConversation([user("hi"), answer(), said("done")])).toEqual([user("hi"), said("done")]);
  });

  it.each([{}, { tool_call_id: "a" }, { role: "user" as const }])("is no result of a call: %o", (fields) => {
    const asking = { ...calls(["a"]), content: [request] };
    const open = rich([user("hi"), asking, answer(fields)]);
    expect(isReplayable(open)).toBe(false);
    expect(pendingToolCalls(open as readonly Message[])?.missing.map(({ id }) => id)).toEqual(["a"]);
    const ended = [...open, result("a"), said("done")];
    expect(pendingToolCalls(ended as readonly Message[])).toBeUndefined();
    const sanitized = sanitizeConversation(rich(ended));
    expect(sanitized.filter(({ role }) => role !== "user")).toEqual([asking, result("a"), said("done")]);
    expect(brokenRules(rich(sanitized) as readonly Message[], sanitized as readonly Message[])).toEqual([]);
  });
});
