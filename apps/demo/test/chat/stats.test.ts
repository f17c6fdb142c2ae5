import type { TraceEvent } from "@jaf/core";
import { describe, expect, it } from "vitest";
import { addedStats, contextRows, NO_STATS, tableOf, withEvent } from "../../src/chat/stats.ts";

const call = (inputTokens: number, cost: number): TraceEvent => ({
  type: "llm_call_end",
  data: {
    agentName: "assistant",
    model: "default",
    status: "success",
    attempts: 1,
    durationMs: 1,
    usage: { inputTokens, outputTokens: 10, cachedInputTokens: 500 },
    cost,
    origin: { provider: "openai", api: "responses", model: "gpt-5-mini" },
  },
});

describe("the context of a reply", () => {
  it("shows what was left out and why, and the tokens of all calls", () => {
    const context = {
      ...{ agentName: "assistant", messages: 9, sent: 4 },
      ranges: [
        { from: 0, to: 2, fate: "summarized" },
        { from: 3, to: 5, fate: "trimmed", reason: "no-room" },
        { from: 6, to: 8, fate: "sent" },
      ],
      counts: { sent: 3, repaired: 0, summarized: 3, trimmed: 3, dropped: 0 },
      summary: { upTo: 2, characters: 120 },
      window: { type: "messages", limit: 6, trimTo: 3 },
    } as const;
    const events: readonly TraceEvent[] = [
      { type: "context", data: context },
      call(1_000, 0.25),
      call(234, 0.5),
    ];
    const stats = events.reduce(withEvent, NO_STATS);
    expect(tableOf(contextRows(stats, { instructions: "You help.", facts: 0 }))).toBe(
      [
        "  model          gpt-5-mini, 2 calls, the last of which is shown",
        "  instructions   9 characters: You help.",
        "  facts          none",
        "  messages       4 sent, of 9 in the conversation",
        "  window         up to 6 messages, then cut to 3",
        "  summary        3 messages in 120 characters",
        "  left out       messages 4 to 6: the window has no room for them",
        "  tokens         1,234 in, 20 out",
        "  cache          1,000 tokens of the input came from the provider's cache",
      ].join("\n"),
    );
    expect(addedStats(stats, NO_STATS)).toMatchObject({
      calls: 2,
      cost: 0.75,
      usage: { inputTokens: 1_234 },
    });
  });
});
