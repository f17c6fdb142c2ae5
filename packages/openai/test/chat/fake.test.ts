import { describe, expect, it } from "vitest";
import type { ChatMode } from "../../../../test/fakes/openai-chat.ts";
import { fakeChat } from "../support/setup.ts";

const user = { role: "user", content: "Hi" };
const call = (id: unknown, name = "f") => ({ id, type: "function", function: { name, arguments: "{}" } });
const calls = (...tool_calls: readonly unknown[]) => ({ role: "assistant", content: null, tool_calls });
const answer = (id: string) => ({ role: "tool", tool_call_id: id, content: "Ok" });
const tool = (parameters: unknown, further: object = {}) => ({
  type: "function",
  function: { name: "f", parameters, ...further },
});
const messages = (...list: readonly unknown[]) => ({ messages: list });
const open = { type: "object", properties: { a: { type: "string" } } };

/** The real services refuse each of these requests, too. */
describe("the fake refuses", () => {
  it.each<[string, object, ChatMode?]>([
    ["no messages", messages()],
    ["an unknown role", messages({ role: "model", content: "Hi" })],
    ["a user message without content", messages({ role: "user", content: null })],
    ["a user's unknown part", messages({ role: "user", content: [{ type: "media" }] })],
    [
      "an image as a text",
      messages({ role: "user", content: [{ type: "image_url", image_url: "https://a.example" }] }),
    ],
    [
      "an image in a result",
      messages(user, calls(call("a")), {
        ...answer("a"),
        content: [{ type: "image_url", image_url: { url: "x" } }],
      }),
    ],
    ["an empty message", messages(user, { role: "assistant", content: null })],
    [
      "a message with an empty list of calls",
      messages(user, { role: "assistant", content: "Hi", tool_calls: [] }),
    ],
    ["a call without an id", messages(user, calls(call("")), answer(""))],
    ["a call with a long id", messages(user, calls(call("a".repeat(41))), answer("a".repeat(41)))],
    ["a call with an invalid name", messages(user, calls(call("a", "a.b")), answer("a"))],
    ["two calls with the same id", messages(user, calls(call("a"), call("a")), answer("a"))],
    ["a call without a result", messages(user, calls(call("a"), call("b")), answer("a"), user)],
    ["a result without a call", messages(user, answer("a"))],
    ["a second result of a call", messages(user, calls(call("a")), answer("a"), answer("a"))],
    ["an unknown field of a message", messages({ ...user, id: "1" })],
    ["an unknown field of a call", messages(user, calls({ ...call("a"), extra_content: {} }), answer("a"))],
    ["an unknown parameter", { ...messages(user), top_k: 1 }],
    ["parameters that aren't an object", { ...messages(user), tools: [tool({ anyOf: [open] })] }],
    ["parameters that aren't strict", { ...messages(user), tools: [tool(open, { strict: true })] }],
    ["a tool choice without tools", { ...messages(user), tool_choice: "auto" }],
    [
      "an output that isn't strict",
      {
        ...messages(user),
        response_format: { type: "json_schema", json_schema: { name: "o", strict: true, schema: open } },
      },
    ],
    [
      "JSON output without the word in the messages",
      { ...messages(user), response_format: { type: "json_object" } },
    ],
    ["max_tokens for a reasoning model", { ...messages(user), model: "gpt-5", max_tokens: 1 }],
    ["a message without its thinking", messages(user, { role: "assistant", content: "Hm." }), "deepseek"],
    [
      "a message with empty thinking",
      messages(user, { role: "assistant", content: "Hm.", reasoning_content: "" }),
      "deepseek",
    ],
    ["a step without a signature", messages(user, calls(call("a")), answer("a")), "gemini"],
    [
      "a step with another model's signature",
      messages(
        user,
        calls({ ...call("a"), extra_content: { google: { thought_signature: "x" } } }),
        answer("a"),
      ),
      "gemini",
    ],
    [
      "an id that was used before",
      messages(user, calls(call("a")), answer("a"), calls(call("a")), answer("a")),
      "openrouter",
    ],
  ])("%s", async (_, body, mode) => {
    const fake = await fakeChat(["Ok."], mode === undefined ? {} : { mode });
    const ask = (given: object) =>
      fetch(`${fake.baseURL}/chat/completions`, {
        method: "POST",
        body: JSON.stringify({ model: "gpt-test", ...given }),
      });
    const response = await ask(body);
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text).toContain('"message"');
    expect((await ask(messages(user))).status).toBe(200);
  });

  it("changed fields of its own messages", async () => {
    const given = { ...calls(call("a")), reasoning_content: "Hm." };
    const fake = await fakeChat([{ kind: "reply", message: given }], { mode: "deepseek" });
    const ask = (...list: readonly unknown[]) =>
      fetch(`${fake.baseURL}/chat/completions`, {
        method: "POST",
        body: JSON.stringify({ model: "m", messages: list }),
      });
    await ask(user);
    expect((await ask(user, given, answer("a"))).status).toBe(200);
    expect((await ask(user, { ...given, reasoning_content: "Hm!" }, answer("a"))).status).toBe(400);
  });
});
