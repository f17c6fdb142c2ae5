import { createInMemoryProvider, type Message, parseMessages } from "@jaf/memory";
import { afterAll, describe, expect, it } from "vitest";
import { checkRecordings, firstUnreplayable } from "../../src/replay/recording.ts";
import { replay } from "../../src/replay/replay.ts";
import { verify } from "../../src/replay/verify.ts";
import { asks, calls, recordingLine, replies, result, silentLedger } from "../support/recording-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const parsed = (messages: readonly unknown[]): readonly Message[] => {
  const checked = parseMessages(messages);
  if (!checked.success) throw new Error(checked.error.message);
  return checked.data;
};

const withArguments = (text: string) => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id: "a", type: "function", function: { name: "look_up", arguments: text } }],
});

describe("a message that a run can't store again", () => {
  it.each<[string, readonly unknown[], number, RegExp]>([
    ["a reply first", [replies("hello")], 0, /begins with a user message/],
    ["a result first", [result("a")], 0, /begins with a user message/],
    ["two replies", [asks("1"), replies("1"), replies("2")], 2, /second reply/],
    ["a reply of null", [asks("1"), { role: "assistant", content: null }], 1, /content is null/],
    ["calls beside null", [asks("1"), { ...calls("a"), content: null }], 1, /content is null/],
    ["a reply of parts", [asks("1"), { role: "assistant", content: [] }], 1, /list of parts/],
    ["an empty reply", [asks("1"), replies("")], 1, /without text or tool calls/],
    ["no calls in a list", [asks("1"), { ...replies("1"), tool_calls: [] }], 1, /hold no call/],
    ["null for calls", [asks("1"), { ...replies("1"), tool_calls: null }], 1, /hold no call/],
    ["a field of a reply", [asks("1"), { ...replies("1"), refusal: null }], 1, /"refusal"/],
    ["an id of a reply", [asks("1"), { ...replies("1"), tool_call_id: "a" }], 1, /"tool_call_id"/],
    ["a field of a result", [asks("1"), calls("a"), { ...result("a"), name: "look_up" }], 2, /"name"/],
    ["a result of null", [asks("1"), calls("a"), { ...result("a"), content: null }], 2, /content is null/],
    ["a result of parts", [asks("1"), calls("a"), { ...result("a"), content: [] }], 2, /list of parts/],
    ["two calls of one id", [asks("1"), calls("a", "a")], 1, /same id/],
    ["invalid arguments", [asks("1"), withArguments("{")], 1, /JSON object/],
    ["a list as arguments", [asks("1"), withArguments("[]")], 1, /JSON object/],
    ["null as arguments", [asks("1"), withArguments("null")], 1, /JSON object/],
    ["a missing result", [asks("1"), calls("a"), replies("1")], 2, /have no result/],
    ["half of the results", [asks("1"), calls("a", "b"), result("a"), asks("2")], 3, /have no result/],
    ["a result of no call", [asks("1"), calls("a"), result("b")], 2, /no call right before it/],
    ["a result without id", [asks("1"), calls("a"), { role: "tool", content: "" }], 2, /no call/],
    ["a second result", [asks("1"), calls("a"), result("a"), result("a")], 3, /no call right before it/],
    ["a late result", [asks("1"), calls("a"), asks("2"), result("a")], 2, /have no result/],
    ["calls of a user", [asks("1"), { ...asks("2"), tool_calls: [] }], 1, /"tool_calls"/],
    ["a retry", [asks("1"), calls("a"), result("a"), asks("1")], 3, /retry/],
    ["a nameless call", [asks("1"), { ...calls("a"), tool_calls: [named("")] }], 1, /names no function/],
    [
      "a field of a call",
      [asks("1"), { ...calls("a"), tool_calls: [{ ...named("x"), index: 0 }] }],
      1,
      /index/,
    ],
    ["a field of a function", [asks("1"), { ...calls("a"), tool_calls: [strict()] }], 1, /function\.strict/],
  ])("is found: %s", async (name, messages, index, reason) => {
    const found = firstUnreplayable(parsed(messages));
    expect(found?.index).toBe(index);
    expect(found?.reason).toMatch(reason);

    const line = recordingLine("unreplayable", messages);
    const file = folder.write(`${name}.jsonl`, `${recordingLine("fine", [asks("1")])}${line}`);
    const said = `${name}.jsonl, line 2, message ${index + 1} can't be replayed: ${found?.reason}.`;
    await expect(checkRecordings(file)).rejects.toThrow(said);
  });

  function named(name: string) {
    return { id: "a", type: "function", function: { name, arguments: "{}" } };
  }

  function strict() {
    return { id: "a", type: "function", function: { name: "x", arguments: "{}", strict: true } };
  }
});

describe("a conversation that a run can store again", () => {
  it.each<[string, readonly unknown[]]>([
    ["no message", []],
    ["a question only", [asks("1"), asks("2")]],
    ["the same question after its reply", [asks("1"), replies("1"), asks("1")]],
    ["another question after results", [asks("1"), calls("a"), result("a"), asks("2"), replies("2")]],
    ["more questions after results", [asks("1"), calls("a"), result("a"), asks("1"), asks("1")]],
    ["an end with calls", [asks("1"), calls("a", "b")]],
    ["an end with the first result", [asks("1"), calls("a", "b"), result("a")]],
    ["an end with the last result", [asks("1"), calls("a", "b", "c"), result("c")]],
    ["an end with results", [asks("1"), calls("a", "b"), result("a"), result("b")]],
    [
      "results in another order",
      [asks("1"), calls("a", "b", "c"), result("c"), result("a"), result("b"), replies("1")],
    ],
    [
      "reused ids",
      [
        asks("1"),
        calls("a"),
        result("a", "1"),
        calls("a"),
        result("a", "1"),
        calls("a", "b"),
        result("b"),
        result("a"),
      ],
    ],
    ["an open call of an id that had a result", [asks("1"), calls("a"), result("a"), calls("a")]],
    ["empty results and text beside calls", [asks("1"), { ...calls("a"), content: "So." }, result("a", "")]],
    [
      "rich user messages",
      [{ role: "user", content: [{ type: "text", text: "1" }], name: "x" }, replies("1")],
    ],
    ["a user message of null", [{ role: "user", content: null, tool_call_id: "a" }, calls("a"), result("a")]],
    ["odd arguments", [asks("1"), withArguments(' {"__proto__": {"a": -0}, "": null} '), result("a")]],
    ["blank arguments", [asks("1"), withArguments(" "), result("a")]],
    ["a tool of a strange name", [asks("1"), { ...calls("a"), tool_calls: [strange] }, result("a")]],
  ])("is stored unchanged, in one replay and from every point: %s", async (name, messages) => {
    const text = recordingLine("c", messages);
    const file = folder.write(`fine ${name}.jsonl`, text);
    const options = { file, ledger: silentLedger, signal: new AbortController().signal };
    const recorded = parsed(messages);
    for (let before = 0; before <= messages.length; before++) {
      if (recorded[before - 1]?.role === "user" && recorded[before]?.role === "user") continue; // One write.
      const provider = createInMemoryProvider();
      const stored = recorded.slice(0, before);
      if (before > 0) await provider.storeMessages("c", stored, { userId: "somebody" });
      expect(await replay({ ...options, provider })).toMatchObject({
        messages: messages.length,
        alreadyStored: before,
        finished: true,
      });
      expect(await verify(file, provider)).toMatchObject({ conversations: 1, differences: [] });
    }
  });
});

const strange = { id: "a", type: "function", function: { name: "__proto__", arguments: "{}" } };
