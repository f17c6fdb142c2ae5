import { type CacheableConfig, createTool, run } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../../test/fakes/service.ts";
import { type AnyAgent, configOf, fakeMessages, providerOf, says } from "../support/setup.ts";

const tools = ["a", "b"].map((name) =>
  createTool({ name, description: "d", parameters: z.object({}), execute: async () => "done" }),
);
const thought: JsonObject = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
const call = (id: string): JsonObject => ({ type: "tool_use", id, name: "a", input: {} });

/** The request bodies of two turns. The first turn calls a tool. */
async function bodies(cacheable: CacheableConfig, agent: Partial<AnyAgent> = {}) {
  const fake = await fakeMessages([
    { kind: "message", content: [thought, call("toolu_1")] },
    { kind: "message", content: [thought, { type: "text", text: "One." }] },
    "Two.",
  ]);
  const memory = { provider: createInMemoryProvider(), autoStore: true, userId: "ada" };
  for (const said of ["Hi", "And?"]) {
    const set = configOf(providerOf(fake), { tools, cacheable, ...agent }, { memory, conversationId: "c" });
    expect((await run(says(said), set.config)).outcome.status).toBe("completed");
  }
  expect(fake.refusals).toEqual([]);
  return fake.requests.map(({ body }) => body);
}

/** The paths of the breakpoints in a body. */
function marksOf(body: JsonObject): readonly string[] {
  const marks: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === "cache_control") marks.push(`${path} ${inner.ttl}`);
      else visit(inner, path === "" ? key : `${path}.${key}`);
    }
  };
  visit(body, "");
  return marks;
}

describe("cache_control", () => {
  it("is absent if nothing is cacheable", async () => {
    expect((await bodies({})).map(marksOf)).toEqual([[], [], []]);
  });

  it("marks the last tool that isn't deferred", async () => {
    const deferred = tools.map((tool, index) =>
      index === 0 ? tool : { ...tool, providerOptions: { anthropic: { defer_loading: true } } },
    );
    const [first = {}] = await bodies({ tools: true }, { tools: deferred });
    expect(marksOf(first)).toEqual(["tools.0 1h"]);
  });

  it("marks the end of each region and the end of the previous request", async () => {
    const [first = {}, second = {}, third = {}] = await bodies({
      instructions: true,
      tools: true,
      messages: "all",
    });
    expect(marksOf(first)).toEqual(["system.0 1h", "tools.1 1h", "messages.0.content.0 1h"]);
    expect(marksOf(second)).toEqual([
      ...["system.0 1h", "tools.1 1h"],
      ...["messages.0.content.0 1h", "messages.2.content.0 1h"],
    ]);
    expect(marksOf(third)).toEqual([
      ...["system.0 1h", "tools.1 1h"],
      ...["messages.2.content.0 1h", "messages.4.content.0 1h"],
    ]);
    expect(second).toMatchInlineSnapshot(`
      {
        "max_tokens": 16384,
        "messages": [
          {
            "content": [
              {
                "cache_control": {
                  "ttl": "1h",
                  "type": "ephemeral",
                },
                "text": "Hi",
                "type": "text",
              },
            ],
            "role": "user",
          },
          {
            "content": [
              {
                "signature": "c2ln",
                "thinking": "Hm.",
                "type": "thinking",
              },
              {
                "id": "toolu_1",
                "input": {},
                "name": "a",
                "type": "tool_use",
              },
            ],
            "role": "assistant",
          },
          {
            "content": [
              {
                "cache_control": {
                  "ttl": "1h",
                  "type": "ephemeral",
                },
                "content": "done",
                "tool_use_id": "toolu_1",
                "type": "tool_result",
              },
            ],
            "role": "user",
          },
        ],
        "model": "claude-sonnet-4-5",
        "system": [
          {
            "cache_control": {
              "ttl": "1h",
              "type": "ephemeral",
            },
            "text": "You help.",
            "type": "text",
          },
        ],
        "tools": [
          {
            "description": "d",
            "input_schema": {
              "properties": {},
              "type": "object",
            },
            "name": "a",
          },
          {
            "cache_control": {
              "ttl": "1h",
              "type": "ephemeral",
            },
            "description": "d",
            "input_schema": {
              "properties": {},
              "type": "object",
            },
            "name": "b",
          },
        ],
      }
    `);
  });

  it.each<[CacheableConfig, readonly string[]]>([
    [{ messages: 0 }, []],
    [{ messages: 1 }, ["messages.0.content.0 1h"]],
    [{ messages: 2 }, ["messages.1.content.1 1h"]],
    // Thinking can't be marked, so the block before it is.
    [{ messages: 4 }, ["messages.3.content.1 1h"]],
    [{ messages: 99 }, ["messages.4.content.0 1h"]],
    [{ tools: true, ttl: "5m" }, ["tools.1 5m"]],
    [{ tools: true, ttl: "300s" }, ["tools.1 5m"]],
    [{ tools: true, ttl: "301s" }, ["tools.1 1h"]],
    [{ instructions: true, ttl: "6m" }, ["system.0 1h"]],
    [{ instructions: true, ttl: "2d" }, ["system.0 1h"]],
  ])("for %j is at %j", async (cacheable, expected) => {
    expect(marksOf((await bodies(cacheable))[2] ?? {})).toEqual(expected);
  });

  describe("with facts before the newest message", () => {
    const facts = { name: "facts", onStart: () => ({ beforeNewestMessage: "Facts." }) };
    const all = { instructions: true, tools: true, messages: "all" } as const;

    it("is before them in the first request of a turn, and moves with its steps", async () => {
      const made = await bodies(all, { middleware: [facts] });
      // The first turn has no messages before the facts.
      expect(made.map(marksOf)).toEqual([
        ["system.0 1h", "tools.1 1h", "messages.0.content.1 1h"],
        ["system.0 1h", "tools.1 1h", "messages.0.content.1 1h", "messages.2.content.0 1h"],
        ["system.0 1h", "tools.1 1h", "messages.3.content.1 1h", "messages.4.content.1 1h"],
      ]);
      expect(made[2]?.["messages"]).toMatchInlineSnapshot(`
        [
          {
            "content": [
              {
                "text": "Hi",
                "type": "text",
              },
            ],
            "role": "user",
          },
          {
            "content": [
              {
                "signature": "c2ln",
                "thinking": "Hm.",
                "type": "thinking",
              },
              {
                "id": "toolu_1",
                "input": {},
                "name": "a",
                "type": "tool_use",
              },
            ],
            "role": "assistant",
          },
          {
            "content": [
              {
                "content": "done",
                "tool_use_id": "toolu_1",
                "type": "tool_result",
              },
            ],
            "role": "user",
          },
          {
            "content": [
              {
                "signature": "c2ln",
                "thinking": "Hm.",
                "type": "thinking",
              },
              {
                "cache_control": {
                  "ttl": "1h",
                  "type": "ephemeral",
                },
                "text": "One.",
                "type": "text",
              },
            ],
            "role": "assistant",
          },
          {
            "content": [
              {
                "text": "Facts.",
                "type": "text",
              },
              {
                "cache_control": {
                  "ttl": "1h",
                  "type": "ephemeral",
                },
                "text": "And?",
                "type": "text",
              },
            ],
            "role": "user",
          },
        ]
      `);
    });

    it("is only before them if there are no tools and so no further steps", async () => {
      const fake = await fakeMessages(["One.", "Two."]);
      const memory = { provider: createInMemoryProvider(), autoStore: true, userId: "ada" };
      for (const said of ["Hi", "And?"]) {
        const agent = { cacheable: all, middleware: [facts] };
        await run(says(said), configOf(providerOf(fake), agent, { memory, conversationId: "c" }).config);
      }
      expect(fake.requests.map(({ body }) => marksOf(body))).toEqual([
        ["system.0 1h"],
        ["system.0 1h", "messages.1.content.0 1h"],
      ]);
    });

    it("is also at the previous turn's end if the service's search doesn't reach it", async () => {
      const calls = Array.from({ length: 11 }, (_, at) => call(`toolu_${at}`));
      const fake = await fakeMessages([
        "One.",
        { kind: "message", content: calls },
        { kind: "message", content: [{ type: "text", text: "Two." }] },
        "Three.",
      ]);
      const memory = { provider: createInMemoryProvider(), autoStore: true, userId: "ada" };
      for (const said of ["Hi", "And?", "More?"]) {
        const agent = { tools, cacheable: all, middleware: [facts] };
        await run(says(said), configOf(providerOf(fake), agent, { memory, conversationId: "c" }).config);
      }
      expect(fake.refusals).toEqual([]);
      // The mark at the instructions covers the tools before them.
      expect(marksOf(fake.requests[3]?.body ?? {})).toEqual([
        "system.0 1h",
        "messages.1.content.0 1h",
        "messages.5.content.0 1h",
        "messages.6.content.1 1h",
      ]);
    });

    it("is never after them if only the first messages are cacheable", async () => {
      const made = await bodies({ messages: 99 }, { middleware: [facts] });
      expect(made.map(marksOf)).toEqual([[], [], ["messages.3.content.1 1h"]]);
    });
  });

  it("is at four places at most, including the application's own", async () => {
    const own = { cache_control: { type: "ephemeral", ttl: "1h" } };
    const search = { type: "web_search_20250305", name: "web_search", ...own };
    const modelConfig = { providerOptions: { anthropic: { tools: [search], ...own } } };
    const all = await bodies({ instructions: true, tools: true, messages: "all" }, { modelConfig });
    expect(all.map((body) => marksOf(body).length)).toEqual([4, 4, 4]);
    expect(marksOf(all[2] ?? {})).toEqual(["system.0 1h", "tools.2 1h", "messages.4.content.0 1h", " 1h"]);
  });
});
