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

/** The bodies of the requests of two turns, the first of which calls a tool. */
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

/** Where a body is marked. */
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
  it("is nowhere where nothing is cacheable", async () => {
    expect((await bodies({})).map(marksOf)).toEqual([[], [], []]);
  });

  it("ends each region, and stands where the request before ended, too", async () => {
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
    // Thinking can't be marked: what is before it is.
    [{ messages: 4 }, ["messages.3.content.1 1h"]],
    [{ messages: 99 }, ["messages.4.content.0 1h"]],
    [{ tools: true, ttl: "5m" }, ["tools.1 5m"]],
    [{ tools: true, ttl: "300s" }, ["tools.1 5m"]],
    [{ tools: true, ttl: "301s" }, ["tools.1 1h"]],
    [{ instructions: true, ttl: "6m" }, ["system.0 1h"]],
    [{ instructions: true, ttl: "2d" }, ["system.0 1h"]],
  ])("of %j is at %j", async (cacheable, expected) => {
    expect(marksOf((await bodies(cacheable))[2] ?? {})).toEqual(expected);
  });

  describe("with facts before the newest message", () => {
    const facts = { name: "facts", onStart: () => ({ beforeNewestMessage: "Facts." }) };
    const all = { instructions: true, tools: true, messages: "all" } as const;

    it("ends before them in the first request of a turn, and moves on with its steps", async () => {
      const made = await bodies(all, { middleware: [facts] });
      // The first turn has nothing before them.
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

    it("ends only before them where there are no tools, so no further step", async () => {
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

    it("stands where the turn before began, too, where that is out of the service's sight", async () => {
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
      // The tools lie before the instructions, which are marked.
      expect(marksOf(fake.requests[3]?.body ?? {})).toEqual([
        "system.0 1h",
        "messages.1.content.0 1h",
        "messages.5.content.0 1h",
        "messages.6.content.1 1h",
      ]);
    });

    it("is never behind them where only the first messages are kept", async () => {
      const made = await bodies({ messages: 99 }, { middleware: [facts] });
      expect(made.map(marksOf)).toEqual([[], [], ["messages.3.content.1 1h"]]);
    });
  });

  it("is at four places at most, those of the application among them", async () => {
    const own = { cache_control: { type: "ephemeral", ttl: "1h" } };
    const search = { type: "web_search_20250305", name: "web_search", ...own };
    const modelConfig = { providerOptions: { anthropic: { tools: [search], ...own } } };
    const all = await bodies({ instructions: true, tools: true, messages: "all" }, { modelConfig });
    expect(all.map((body) => marksOf(body).length)).toEqual([4, 4, 4]);
    expect(marksOf(all[2] ?? {})).toEqual(["system.0 1h", "tools.2 1h", "messages.4.content.0 1h", " 1h"]);
  });
});
