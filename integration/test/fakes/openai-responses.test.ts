import { afterEach, describe, expect, it } from "vitest";
import type { FakeService } from "../../../test/fakes/model-service.ts";
import { startResponses } from "../../../test/fakes/openai-responses.ts";
import type { ScriptedReply } from "../../../test/fakes/scripted-reply.ts";
import { isList, type JsonObject } from "../../../test/fakes/service.ts";
import { post, refusalIn, saying } from "./exchange.ts";

let service: FakeService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

const start = async (...replies: readonly ScriptedReply[]) => {
  service = await startResponses(saying(...replies));
};

const user = (content: string): JsonObject => ({ role: "user", content });
const call = (call_id: string, more: JsonObject = {}) => ({
  type: "function_call",
  call_id,
  name: "work",
  arguments: "{}",
  ...more,
});
const output = (call_id: string) => ({ type: "function_call_output", call_id, output: "done" });

const ask = (input: readonly JsonObject[], more: JsonObject = {}) =>
  post(
    `${service?.url}/v1/responses`,
    { model: "gpt-5", store: false, include: ["reasoning.encrypted_content"], input, ...more },
    { authorization: "Bearer k" },
  );

describe("OpenAI's item rules refuse", () => {
  it.each<[string, readonly JsonObject[], RegExp, JsonObject?]>([
    ["nothing at all", [], /Missing required parameter/],
    ["a request to store the response", [user("Hi")], /must be false/, { store: true }],
    ["another role", [{ role: "tool", content: "x" }], /Supported values are: 'assistant'/],
    [
      "content that a user can't have",
      [{ role: "user", content: [{ type: "output_text", text: "x" }] }],
      /'input_text'/,
    ],
    [
      "content that an assistant can't have",
      [{ role: "assistant", content: [{ type: "input_text", text: "x" }] }],
      /'output_text'/,
    ],
    ["an unknown item", [{ type: "thinking" }], /Invalid value: 'thinking'/],
    ["a reference", [{ type: "item_reference", id: "msg_1" }], /Items are not persisted/],
    ["a call without an output", [user("Hi"), call("a")], /No tool output found/],
    ["an output without a call", [user("Hi"), output("a")], /No tool call found/],
    ["an output before its call", [output("a"), call("a")], /No tool call found/],
    ["two outputs", [call("a"), output("a"), output("a")], /No tool call found/],
    ["two calls of one id", [call("a"), output("a"), call("a"), output("a")], /Duplicate function call/],
    ["a long id of a call", [call("a".repeat(65)), output("a".repeat(65))], /1 to 64 characters/],
    ["a name with a dot", [call("a", { name: "a.b" }), output("a")], /does not match pattern/],
    ["a call's id in place of an item's", [call("a", { id: "call_1" }), output("a")], /begins with 'fc'/],
    [
      "an id that the service never gave",
      [call("a", { id: "fc_1" }), output("a")],
      /Items are not persisted/,
    ],
    [
      "reasoning without its content",
      [{ type: "reasoning", id: "rs_1", summary: [] }, user("Hi")],
      /Items are not persisted/,
    ],
    [
      "reasoning without a summary",
      [{ type: "reasoning", id: "rs_1", encrypted_content: "x" }],
      /'input\[0\].summary'/,
    ],
    [
      "unknown reasoning",
      [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" }],
      /could not be verified/,
    ],
    [
      "a tool's name with a dot",
      [user("Hi")],
      /does not match/,
      { tools: [{ type: "function", name: "a.b" }] },
    ],
    ["an unknown parameter", [user("Hi")], /Unknown parameter: 'messages'/, { messages: [] }],
    ["a long cache key", [user("Hi")], /up to 64 characters/, { prompt_cache_key: "a".repeat(65) }],
    ["too few tokens", [user("Hi")], /below minimum value/, { max_output_tokens: 15 }],
    ["another effort", [user("Hi")], /reasoning.effort/, { reasoning: { effort: "huge" } }],
    ["an unknown kind of summary", [user("Hi")], /reasoning.summary/, { reasoning: { summary: "long" } }],
    [
      "encrypted reasoning of a model that doesn't reason",
      [user("Hi")],
      /Encrypted content is not supported/,
      { model: "gpt-4.1" },
    ],
    [
      "the choice of a missing tool",
      [user("Hi")],
      /Tool choice/,
      {
        tools: [{ type: "function", name: "a", parameters: { type: "object", properties: {} } }],
        tool_choice: { type: "function", name: "b" },
      },
    ],
    [
      "a strict schema with an optional property",
      [user("Hi")],
      /additionalProperties/,
      {
        text: {
          format: {
            type: "json_schema",
            name: "a",
            strict: true,
            schema: { type: "object", properties: { b: { type: "string" } } },
          },
        },
      },
    ],
    [
      "an output of another kind",
      [call("a"), { ...output("a"), type: "custom_tool_call_output" }],
      /No tool call found/,
    ],
    [
      "an image without a source",
      [{ role: "user", content: [{ type: "input_image" }] }],
      /one of an id, an address and data/,
    ],
    [
      "data without a name",
      [{ role: "user", content: [{ type: "input_file", file_data: "data:application/pdf;base64,AAAA" }] }],
      /filename/,
    ],
    [
      "a sound",
      [{ role: "user", content: [{ type: "input_audio", input_audio: {} }] }],
      /Supported values are: 'input_text'/,
    ],
    [
      "an unknown compaction",
      [{ type: "compaction", id: "cmp_1", encrypted_content: "x" }],
      /could not be verified/,
    ],
    ["a search without an id", [{ type: "web_search_call", status: "completed" }], /input\[0\].id/],
  ])("%s", async (_what, input, why, more) => {
    await start({ text: "never said" });
    expect(refusalIn(await ask(input, more))).toMatch(why);
  });
});

describe("OpenAI's reasoning", () => {
  const reply: ScriptedReply = {
    thoughts: ["Let me see.", ""],
    text: "Wait.",
    calls: [{ name: "work", input: {} }],
  };

  async function loop(change: (items: readonly JsonObject[]) => readonly JsonObject[], more?: JsonObject) {
    await start(reply, { text: "Done." });
    const { status, body } = await ask([user("Hi")]);
    expect(status).toBe(200);
    const items = isList(body["output"]) ? (body["output"] as readonly JsonObject[]) : [];
    expect(items.map(({ type }) => type)).toEqual(["reasoning", "message", "reasoning", "function_call"]);
    const id = items.find(({ type }) => type === "function_call")?.["call_id"];
    return ask([user("Hi"), ...change(items), output(String(id))], more);
  }
  const withoutIds = (items: readonly JsonObject[]) => items.map(({ id: _, ...item }) => item);
  const withoutReasoning = (items: readonly JsonObject[]) => items.filter(({ type }) => type !== "reasoning");

  it.each([
    ["unchanged", (items: readonly JsonObject[]) => items],
    ["without ids", withoutIds],
  ])("comes back %s, and is found to be whole", async (_how, change) => {
    expect((await loop(change)).status).toBe(200);
    expect(service?.findings()).toMatchObject({ returned: 2, whole: 1, broken: [], foreign: [] });
  });

  it.each<[string, (items: readonly JsonObject[]) => readonly JsonObject[], RegExp]>([
    ["left out, if its item has an id", withoutReasoning, /without its required 'reasoning' item/],
    ["moved", ([a, b, c, d]) => [a, b, d, c] as readonly JsonObject[], /without its required/],
    ["sent twice", (items) => [...items.slice(0, 2), ...items], /Duplicate item/],
    [
      "at the end",
      (items) => [...items.slice(2), ...items.slice(0, 1)],
      /without its required following item/,
    ],
    [
      "followed by another item",
      ([a, b, c, d]) => [c, b, a, d] as readonly JsonObject[],
      /without its required/,
    ],
    [
      "changed",
      (items) =>
        items.map((item) => (item["type"] === "reasoning" ? { ...item, encrypted_content: "AAAA" } : item)),
      /could not be verified/,
    ],
  ])("is refused: %s", async (_what, change, why) => {
    expect(refusalIn(await loop(change))).toMatch(why);
  });

  it("is reported as missing if nothing else refers to it", async () => {
    expect((await loop((items) => withoutReasoning(withoutIds(items)))).status).toBe(200);
    expect(service?.findings()).toMatchObject({ whole: 0, broken: [{}] });
  });

  it("is refused if it is another model's", async () => {
    expect(refusalIn(await loop((items) => items, { model: "gpt-5-mini" }))).toMatch(/could not be verified/);
  });

  it("has no content unless the request asks for it", async () => {
    await start(reply);
    const { text } = await ask([user("Hi")], { include: [] });
    expect(text).toContain('"encrypted_content":null');
  });
});

it("streams the same reply", async () => {
  await start({ thoughts: ["Let me see."], text: "Hello.", calls: [{ name: "work", input: { a: 1 } }] });
  const { text } = await ask([user("Hi")], { stream: true });
  const types = [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
  expect(new Set(types).size).toBe(12);
  expect(types.at(-1)).toBe("response.completed");
});
