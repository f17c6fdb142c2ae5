import { createChatMemory, createInMemoryProvider, sanitizeConversation } from "@jaf/memory";
import { planWindow } from "@jaf/memory/history";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { REPLAYED_WINDOWS } from "../../../src/history/window/window-start.ts";
import {
  anyHistories,
  costOf,
  droppedCounts,
  isSystem,
  slidingOptions,
  user,
  wholeHistories,
  windowFaults,
  windowOptions,
} from "./window-histories.ts";

describe("windows of 2,000 random histories", () => {
  it("are replayable after the sanitizer, never over the limit, and idempotent", () => {
    fc.assert(
      fc.property(anyHistories, windowOptions, droppedCounts, (history, options, dropped) => {
        expect(windowFaults(history, options, dropped)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("slide to the longest end that starts with a user message if every turn fits", () => {
    fc.assert(
      fc.property(wholeHistories, slidingOptions, (messages, options) => {
        const history = [user("first"), ...messages].filter(({ role }) => !isSystem(role));
        const limit = "maxTokens" in options ? options.maxTokens : options.maxMessages;
        const starts = history.flatMap(({ role }, index) => (role === "user" ? [index] : []));
        const turns = starts.map((start, turn) => history.slice(start, starts[turn + 1]));
        fc.pre(turns.every((turn) => costOf(turn, options) <= limit));
        const expected = starts.find((start) => costOf(history.slice(start), options) <= limit);
        expect(planWindow(history, options).messages).toEqual(history.slice(expected));
      }),
      { numRuns: 2_000 },
    );
  });

  // In a longer history, the replay of its growth can begin at another message, and the window with it (docs/windows.md).
  it("keep their start while the history grows within the limit, up to five windows", () => {
    fc.assert(
      fc.property(wholeHistories, windowOptions, (messages, options) => {
        const history = [user("first"), ...messages];
        const limit = "maxTokens" in options ? options.maxTokens : options.maxMessages;
        for (let end = 1; end < history.length; end++) {
          if (costOf(history.slice(0, end + 1), options) > REPLAYED_WINDOWS * limit) return;
          const before = planWindow(history.slice(0, end), options);
          const message = history[end];
          if (message === undefined || before.newestOmitted) continue;
          // System content that was left out for lack of room returns as soon as there is room.
          if (before.omitted.some(({ reason }) => reason === "no-room")) continue;
          const grown = [...before.messages, message];
          if (costOf(grown, options) > limit) continue;
          expect(planWindow(history.slice(0, end + 1), options).messages).toEqual(grown);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("are the same from a chat memory, even if it only reads the end", async () => {
    const provider = createInMemoryProvider();
    let conversation = 0;
    await fc.assert(
      fc.asyncProperty(anyHistories, fc.integer({ min: 1, max: 8 }), async (messages, maxMessages) => {
        const history = messages.filter(({ role }) => !isSystem(role));
        const config = { memoryId: `c${conversation++}`, maxMessages };
        const memory = createChatMemory(config, provider);
        await memory.add(history);
        const windowed = await memory.messages();
        const expected = planWindow(sanitizeConversation(history), { maxMessages }).messages;
        expect(windowed).toEqual({ success: true, data: expected });
      }),
      { numRuns: 300 },
    );
  });
});
