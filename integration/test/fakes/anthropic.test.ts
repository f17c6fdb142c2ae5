import { afterEach, describe, expect, it } from "vitest";
import { startAnthropic } from "../../../test/fakes/anthropic-messages.ts";
import type { FakeService } from "../../../test/fakes/model-service.ts";
import type { ScriptedReply } from "../../../test/fakes/scripted-reply.ts";
import { isList, type JsonObject } from "../../../test/fakes/service.ts";
import { post, refusalIn, saying } from "./exchange.ts";

let service: FakeService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

const HEADERS = { "x-api-key": "k", "anthropic-version": "2023-06-01" };
const TOOLS = [{ name: "work", input_schema: { type: "object" } }];
const OLDER = "claude-opus-4-5";
const NEWER = "claude-opus-5-5";
const ENABLED = { type: "enabled", budget_tokens: 1024 };

const user = (content: string | readonly JsonObject[]): JsonObject => ({ role: "user", content });
const assistant = (...content: readonly JsonObject[]): JsonObject => ({ role: "assistant", content });
const use = (id: string, more: JsonObject = {}) => ({
  type: "tool_use",
  id,
  name: "work",
  input: {},
  ...more,
});
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "done" });
const text = (words: string) => ({ type: "text", text: words });

/** A call from code, and the user's message behind it. */
const fromCode = (...blocks: readonly JsonObject[]): readonly JsonObject[] => {
  const code = use("srvtoolu_1", { type: "server_tool_use", name: "code_execution" });
  const call = use("a", { caller: { type: "code_execution_20250825", tool_id: "srvtoolu_1" } });
  return [user("Hi"), assistant(code, call), user(blocks)];
};

const marked = (ttl: string, block: JsonObject): JsonObject => ({
  ...block,
  cache_control: { type: "ephemeral", ttl },
});

const ask = (messages: readonly JsonObject[], more: JsonObject = {}) =>
  post(
    `${service?.url}/v1/messages`,
    { model: OLDER, max_tokens: 4096, tools: TOOLS, messages, ...more },
    { ...HEADERS, "anthropic-beta": "thinking-binding-controls-2026-08-01" },
  );

/** The blocks of the service's reply. */
async function said(messages: readonly JsonObject[], more?: JsonObject): Promise<readonly JsonObject[]> {
  const { status, body } = await ask(messages, more);
  expect([status, body["error"]]).toEqual([200, undefined]);
  const content = body["content"];
  return isList(content) ? (content as readonly JsonObject[]) : [];
}

const start = async (...replies: readonly ScriptedReply[]) => {
  service = await startAnthropic(saying(...replies));
  return service;
};

describe("Anthropic's message rules refuse", () => {
  it.each<[string, readonly JsonObject[], RegExp, JsonObject?]>([
    ["no message", [], /at least one message/],
    ["a first message of the assistant", [assistant(text("Hi"))], /first message must use/],
    ["two consecutive messages of one role", [user("Hi"), user("Ho")], /roles must alternate/],
    ["another role", [{ role: "tool", content: "x" }], /Unexpected role/],
    ["an empty text", [user("")], /must be non-empty/],
    ["a text of only white space", [user(" \n")], /non-whitespace/],
    ["an empty content", [user([])], /non-empty content/],
    [
      "a call without a result",
      [user("Hi"), assistant(use("a")), user("Ho")],
      /without `tool_result` blocks/,
    ],
    ["a call at the end", [user("Hi"), assistant(use("a"))], /without `tool_result` blocks/],
    [
      "one of two calls without a result",
      [user("Hi"), assistant(use("a"), use("b")), user([result("a")])],
      /without `tool_result` blocks/,
    ],
    [
      "a result after a text",
      [user("Hi"), assistant(use("a")), user([text("Ho"), result("a")])],
      /without `tool_result` blocks/,
    ],
    ["a result without a call", [user([result("a")])], /unexpected `tool_use_id`/],
    [
      "two results of one call",
      [user("Hi"), assistant(use("a")), user([result("a"), result("a")])],
      /single result/,
    ],
    [
      "a reused id",
      [user("Hi"), assistant(use("a")), user([result("a")]), assistant(use("a")), user([result("a")])],
      /must be unique/,
    ],
    [
      "an id with a colon",
      [user("Hi"), assistant(use("a:b")), user([result("a:b")])],
      /should match pattern/,
    ],
    [
      "an input that is a text",
      [user("Hi"), assistant(use("a", { input: "{}" })), user([result("a")])],
      /dictionary/,
    ],
    [
      "a name with a dot",
      [user("Hi"), assistant(use("a", { name: "a.b" })), user([result("a")])],
      /match pattern/,
    ],
    ["a tool's name with a dot", [user("Hi")], /match pattern/, { tools: [{ name: "a.b" }] }],
    [
      "a search without its result",
      [user("Hi"), assistant(use("srvtoolu_1", { type: "server_tool_use", name: "web_search" })), user("Ho")],
      /without a corresponding `web_search_tool_result`/,
    ],
    [
      "thinking in a user message",
      [user([{ type: "thinking", thinking: "x", signature: "y" }])],
      /not permitted/,
    ],
    [
      "thinking without a valid signature",
      [user("Hi"), assistant({ type: "thinking", thinking: "x", signature: "y" }, text("Ho")), user("Hm")],
      /Invalid `signature`/,
    ],
    ["a small budget", [user("Hi")], /budget_tokens/, { thinking: { type: "enabled", budget_tokens: 9 } }],
    [
      "a budget over the limit",
      [user("Hi")],
      /must be greater/,
      { thinking: { type: "enabled", budget_tokens: 9999 } },
    ],
    [
      "a forced tool while thinking",
      [user("Hi")],
      /forces tool use/,
      { thinking: ENABLED, tool_choice: { type: "any" } },
    ],
    ["a temperature while thinking", [user("Hi")], /temperature/, { thinking: ENABLED, temperature: 0.5 }],
    [
      "enabled thinking with a newer model",
      [user("Hi")],
      /not supported/,
      { thinking: ENABLED, model: NEWER },
    ],
    ["a prefilled answer", [user("Hi"), assistant(text("Ho"))], /prefill/, { thinking: ENABLED }],
    ["a low `top_p` while thinking", [user("Hi")], /top_p/, { thinking: ENABLED, top_p: 0.5 }],
    ["a temperature with a newer model", [user("Hi")], /not supported/, { temperature: 1, model: NEWER }],
    [
      "disabled thinking with a newer model",
      [user("Hi")],
      /not supported/,
      { thinking: { type: "disabled" }, model: NEWER },
    ],
    [
      "a forced tool with a newer model",
      [user("Hi")],
      /forced tool use/,
      { tool_choice: { type: "any" }, model: NEWER },
    ],
    [
      "an unknown part of a result",
      [user("Hi"), assistant(use("a")), user([{ ...result("a"), content: [{ type: "media" }] }])],
      /not permitted within `tool_result`/,
    ],
    [
      "a cache mark inside a result",
      [user("Hi"), assistant(use("a")), user([{ ...result("a"), content: [marked("1h", text("x"))] }])],
      /cache_control is not permitted/,
    ],
    [
      "five marks",
      [user(Array.from({ length: 5 }, () => marked("1h", text("Hi"))))],
      /maximum of 4 blocks with cache_control may be provided. Found 5/,
    ],
    [
      "four cache marks and one of the request",
      [user(Array.from({ length: 4 }, () => marked("1h", text("Hi"))))],
      /Found 5/,
      { cache_control: { type: "ephemeral" } },
    ],
    ["a cache mark with an unknown time", [user([marked("2h", text("Hi"))])], /expected shape/],
    [
      "a cache mark of an unknown type",
      [user([{ ...text("Hi"), cache_control: { type: "x" } }])],
      /expected shape/,
    ],
    [
      "an hour after five minutes",
      [user([marked("1h", text("Hi"))])],
      /must not come after a ttl='5m'/,
      { system: [marked("5m", text("Be kind."))] },
    ],
    [
      "thinking with a cache mark",
      [user("Hi"), assistant(marked("1h", { type: "thinking", thinking: "x" }), text("Ho")), user("Hm")],
      /cannot be set for thinking/,
    ],
    ["an empty block in the system prompt", [user("Hi")], /must be non-empty/, { system: [text(" ")] }],
    [
      "an open search that isn't at the end",
      [user("Hi"), assistant(use("srvtoolu_1", { type: "server_tool_use", name: "web_search" }), text("Ho"))],
      /without a corresponding `web_search_tool_result`/,
    ],
    [
      "a result of a search that wasn't made",
      [
        user("Hi"),
        assistant({ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }),
        user("Ho"),
      ],
      /unexpected `tool_use_id`/,
    ],
    [
      "a call from code that there isn't",
      [
        user("Hi"),
        assistant(use("a", { caller: { type: "code_execution_20250825", tool_id: "srvtoolu_1" } })),
      ],
      /there is no call with the id/,
    ],
    [
      "a strict tool that takes any property",
      [user("Hi")],
      /'additionalProperties' must be explicitly set to false/,
      { tools: [{ name: "work", strict: true, input_schema: { type: "object" } }] },
    ],
    ["two tools of one name", [user("Hi")], /must be unique/, { tools: [...TOOLS, ...TOOLS] }],
    [
      "a reference to a tool that there isn't",
      [
        user("Hi"),
        assistant(use("a")),
        user([{ ...result("a"), content: [{ type: "tool_reference", tool_name: "x" }] }]),
      ],
      /not found in available tools/,
    ],
    ["results for code without its container", fromCode(result("a")), /container_id is required/],
    [
      "a text behind the results for code",
      fromCode(result("a"), text("Ho")),
      /only tool_result blocks/,
      { container: { id: "c" } },
    ],
    [
      "context editing without its beta",
      [user("Hi")],
      /beta context-management is required/,
      { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } },
    ],
  ])("%s", async (_what, messages, why, more) => {
    await start({ text: "never said" });
    expect(refusalIn(await ask(messages, more))).toMatch(why);
  });
});

describe("Anthropic's thinking", () => {
  const thinking = { thinking: ENABLED };
  const reply: ScriptedReply = {
    thoughts: ["Let me see.", ""],
    searches: ["jaf"],
    text: "Wait.",
    calls: [{ name: "work", input: {} }],
  };

  async function loop(
    change: (blocks: readonly JsonObject[]) => readonly JsonObject[],
    more: JsonObject = {},
  ) {
    await start(reply, { text: "Done." });
    const blocks = await said([user("Hi")], { ...thinking, ...more });
    const call = blocks.find(({ type }) => type === "tool_use");
    const sent = [user("Hi"), assistant(...change(blocks)), user([result(String(call?.["id"]))])];
    return ask(sent, { ...thinking, ...more });
  }
  const without = (type: string) => (blocks: readonly JsonObject[]) =>
    blocks.filter((block) => block["type"] !== type);
  const changed = (type: string, more: JsonObject) => (blocks: readonly JsonObject[]) =>
    blocks.map((block) => (block["type"] === type ? { ...block, ...more } : block));

  it("is accepted unchanged, and counted as complete", async () => {
    expect((await loop((blocks) => blocks)).status).toBe(200);
    expect(service?.findings()).toMatchObject({ returned: 3, whole: 1, broken: [], foreign: [] });
  });

  it.each<[string, (blocks: readonly JsonObject[]) => readonly JsonObject[], RegExp, JsonObject?]>([
    [
      "left out of a loop",
      (blocks) => without("redacted_thinking")(without("thinking")(blocks)),
      /Expected `thinking`/,
    ],
    ["changed", changed("thinking", { thinking: "Let me see!" }), /Invalid `signature`/],
    ["without its signature", changed("thinking", { signature: "" }), /Invalid `signature`/],
    ["redacted and changed", changed("redacted_thinking", { data: "AAAA" }), /Invalid `data`/],
    ["at the end", (blocks) => [...blocks.slice(1), ...blocks.slice(0, 1)], /final block/],
    [
      "a changed search result",
      changed("web_search_tool_result", { content: [{ url: "x", encrypted_content: "y" }] }),
      /Invalid `encrypted_content`/,
    ],
  ])("is refused: %s", async (_what, change, why) => {
    expect(refusalIn(await loop(change))).toMatch(why);
  });

  it("is reported as missing where a model can continue without it, and likewise in the wrong place", async () => {
    const adaptive = { thinking: { type: "adaptive" } };
    expect((await loop(without("thinking"), adaptive)).status).toBe(200);
    expect(service?.findings()).toMatchObject({ whole: 0, broken: [{}] });
    await service?.close();
    const swapped = ([a, b, ...rest]: readonly JsonObject[]) => [b ?? {}, a ?? {}, ...rest];
    expect((await loop(swapped, adaptive)).status).toBe(200);
    expect(service?.findings()).toMatchObject({ whole: 0, broken: [{}] });
  });

  it("is refused if it is another model's", async () => {
    await start({ thoughts: ["Let me see."], text: "Hello." });
    const blocks = await said([user("Hi")], thinking);
    const answered = await ask([user("Hi"), assistant(...blocks), user("Ho")], {
      ...thinking,
      model: "claude-sonnet-4-5",
    });
    expect(refusalIn(answered)).toMatch(/Invalid `signature`/);
  });

  it("is bound to all earlier content with newer models", async () => {
    const newer = { model: NEWER, thinking: { type: "adaptive" } };
    await start({ thoughts: ["Let me see."], text: "Hello." }, { text: "one" }, { text: "two" });
    const blocks = await said([user("Hi")], newer);
    expect(blocks[0]).toMatchObject({ type: "thinking", thinking: "" });
    const later = [assistant(...blocks), user("Ho")];
    await said([user("Hi"), ...later], newer);
    expect(refusalIn(await ask([user("Hey"), ...later], newer))).toMatch(/bound to a different conversation/);
    expect(refusalIn(await ask([user("Hi"), ...later], { ...newer, system: "Be kind." }))).toMatch(
      /bound to a different/,
    );
    const dropping = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
    await said([user("Hey"), ...later], { ...newer, thinking: dropping });
  });
});

it("streams the same reply", async () => {
  await start({ thoughts: ["Let me see."], text: "Hello.", calls: [{ name: "work", input: { a: 1 } }] });
  const { text: events } = await ask([user("Hi")], { stream: true, thinking: ENABLED });
  const types = [...events.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
  expect(new Set(types).size).toBe(6);
  expect(types.at(-1)).toBe("message_stop");
  expect(events).toContain("signature_delta");
});

it("pauses a turn, and continues it if it comes back unchanged", async () => {
  await start({ searches: ["a", "b"], pauses: true }, { text: "Found." });
  const blocks = await said([user("Hi")]);
  expect(blocks.map(({ type }) => type)).toEqual([
    ...["server_tool_use", "web_search_tool_result", "server_tool_use"],
  ]);
  const rest = await said([user("Hi"), assistant(...blocks)]);
  expect(rest.map(({ type }) => type)).toEqual(["web_search_tool_result", "text"]);
  expect(rest[0]).toMatchObject({ tool_use_id: blocks[2]?.["id"] });
});

it("waits for the results of calls from its code", async () => {
  await start({ text: "Done." });
  await said(fromCode(result("a")), { container: "c" });
});

it("recognises a reply regardless of which parts must be kept", async () => {
  const newer = { model: NEWER, thinking: { type: "adaptive" }, system: [text("Be kind.")] };
  await start({ thoughts: ["Let me see."], text: "Hello." }, { text: "one" });
  const blocks = await said([user([marked("1h", text("Hi"))])], newer);
  await said([user([text("Hi")]), assistant(...blocks), user([marked("1h", text("Ho"))])], {
    ...newer,
    system: [marked("1h", text("Be kind."))],
  });
});
