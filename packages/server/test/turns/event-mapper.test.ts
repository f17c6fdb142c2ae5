import { runStream } from "@jaf/core";
import { createScriptedModel } from "@jaf/core/testing";
import { describe, expect, it } from "vitest";
import { createEventMapper } from "../../src/turns/event-mapper.ts";
import type { TurnEvent } from "../../src/turns/turn-event.ts";
import { scenarioAgent } from "../support/scenario.ts";

describe("The event mapper", () => {
  it("makes an event of each piece of a reply: reasoning, text, parts and tool calls", async () => {
    const source = { type: "source", id: "s1", sourceType: "url", url: "https://a.example", title: "A" };
    const model = createScriptedModel([
      {
        reasoning: "Hm.",
        text: "I add.",
        parts: [source],
        toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }],
      },
      "Three.",
    ]);
    const events: TurnEvent[] = [];
    const mapper = createEventMapper({ agentName: "?", push: (event) => events.push(event) });
    const state = {
      ...{ runId: "r", traceId: "t", turnCount: 0, currentAgentName: "clerk", context: {} },
      messages: [{ role: "user", content: "Add." }],
    } as never;
    const agentRegistry = new Map([["clerk", scenarioAgent]]);
    for await (const event of runStream<unknown>(state, { agentRegistry, modelProvider: model }))
      mapper.take(event);
    const call = { type: "tool_arguments", index: 0, toolCallId: "call_1", toolName: "add" };
    const pieces = ["reasoning", "text", "part", "tool_arguments"];
    expect(
      events
        .slice(
          0,
          events.findIndex(({ type }) => type === "message"),
        )
        .filter(({ type }) => pieces.includes(type)),
    ).toEqual([
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "I " },
      { type: "text", text: "add." },
      { type: "part", part: source },
      { ...call, arguments: '{"a":1,' },
      { ...call, arguments: '"b":2}' },
    ]);
    expect(mapper.agentName()).toBe("clerk");
  });
});
