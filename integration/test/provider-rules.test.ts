import type { RichMessage } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { brokenProviderRules } from "./support/provider-rules.ts";

const user = (content: string): RichMessage => ({ role: "user", content });
const reply = (content: string | null): RichMessage => ({ role: "assistant", content });
const result = (id: string, content: string | null = "done"): RichMessage => ({
  role: "tool",
  content,
  tool_call_id: id,
});
const call = (id: string, args = "{}", name = "work") => ({
  id,
  type: "function" as const,
  function: { name, arguments: args },
});
const calling = (...ids: readonly string[]): RichMessage => ({
  role: "assistant",
  content: "",
  tool_calls: ids.map((id) => call(id)),
});

describe("both providers accept", () => {
  it.each<[string, readonly RichMessage[]]>([
    ["a question", [user("Hi")]],
    ["a dialogue", [user("Hi"), reply("Hello"), user("Bye")]],
    ["parallel calls answered in another order", [user("Hi"), calling("a", "b"), result("b"), result("a")]],
    ["calls beside text, without content", [user("Hi"), { ...calling("a"), content: null }, result("a")]],
    ["calls one after the other", [user("Hi"), calling("a"), result("a"), calling("b"), result("b")]],
    ["a question after results", [user("Hi"), calling("a"), result("a"), user("Hurry")]],
    ["two questions in a row", [user("Hi"), user("Are you there?"), reply("Yes.")]],
    ["content in parts", [{ role: "user", content: [{ type: "text", text: "Hi" }] }]],
  ])("%s", (_what, messages) => {
    expect(brokenProviderRules(messages)).toEqual([]);
  });
});

describe("the rules report", () => {
  const open = [user("Hi"), calling("a", "b"), result("a")] as const;

  it.each<[string, readonly RichMessage[], readonly string[]]>([
    ["nothing at all", [], ["openai/no-message at 0", "anthropic/begins-without-user at 0"]],
    ["an answer without a question", [reply("Hello")], ["anthropic/begins-without-user at 0"]],
    [
      "an open call at the end",
      open,
      ["openai/call-without-result at 3", "anthropic/use-without-result at 1"],
    ],
    [
      "a user message before a call's result",
      [...open, user("Hurry"), result("b")],
      [
        "openai/call-without-result at 3",
        "openai/result-without-call at 4",
        "anthropic/text-before-result at 2",
      ],
    ],
    [
      "a reply before a call's result",
      [...open, reply("Done.")],
      ["openai/call-without-result at 3", "anthropic/use-without-result at 1"],
    ],
    [
      "a result without a call",
      [user("Hi"), result("a")],
      [
        "openai/result-without-call at 1",
        "anthropic/result-without-use at 0",
        "anthropic/text-before-result at 0",
      ],
    ],
    [
      "a result of another call",
      [user("Hi"), calling("a"), result("a"), result("x")],
      ["openai/result-without-call at 3", "anthropic/result-without-use at 2"],
    ],
    [
      "a second result",
      [user("Hi"), calling("a"), result("a"), result("a")],
      ["openai/second-result at 3", "anthropic/second-result at 2"],
    ],
    [
      "a late result",
      [user("Hi"), calling("a"), result("a"), reply("Done."), result("a")],
      ["openai/result-without-call at 4", "anthropic/result-without-use at 4"],
    ],
    [
      "two calls with one id in one reply",
      [user("Hi"), calling("a", "a"), result("a")],
      ["openai/call-id-twice at 1", "anthropic/use-id-twice at 1"],
    ],
    [
      "two calls with one id in two replies",
      [user("Hi"), calling("a"), result("a"), calling("a"), result("a")],
      ["anthropic/use-id-twice at 3"],
    ],
    [
      "an empty list of calls",
      [user("Hi"), { ...reply("Hello"), tool_calls: [] }],
      ["openai/empty-list-of-calls at 1"],
    ],
    [
      "an empty reply",
      [user("Hi"), reply(""), user("Hello?")],
      ["openai/no-content at 1", "anthropic/empty-text at 1"],
    ],
    ["an empty question", [user("")], ["openai/no-content at 0", "anthropic/empty-text at 0"]],
    ["a result without content", [user("Hi"), calling("a"), result("a", null)], ["openai/no-content at 2"]],
    [
      "a call whose arguments aren't JSON",
      [user("Hi"), { ...reply(null), tool_calls: [call("a", "{")] }, result("a")],
      ["anthropic/input-is-no-object at 1"],
    ],
    [
      "a call with an invalid tool name",
      [user("Hi"), { ...reply(null), tool_calls: [call("a", "{}", "no name")] }, result("a")],
      ["openai/malformed-call at 1"],
    ],
    [
      "an id with other characters",
      [user("Hi"), calling("a.1"), result("a.1")],
      ["anthropic/malformed-use-id at 1"],
    ],
    [
      "calls in a user message",
      [{ ...calling("a"), role: "user", content: "Hi" }, result("a")],
      [
        "openai/calls-of-no-assistant at 0",
        "anthropic/use-without-result at 0",
        "anthropic/result-without-use at 0",
        "anthropic/text-before-result at 0",
      ],
    ],
    ["an unknown role", [{ ...user("Hi"), role: "system" as never }], ["openai/unknown-role at 0"]],
  ])("%s", (_what, messages, broken) => {
    expect(brokenProviderRules(messages)).toEqual(broken);
  });
});
