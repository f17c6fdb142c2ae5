import type { Message } from "@jaf/memory";
import { messageWindow } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import { recordedConversations, recordedMissing } from "../recorded-conversations.ts";
import { calls, result, said, user } from "./window-histories.ts";
import { reusedCalls } from "./window-reuse.ts";

const turns = (count: number): Message[] =>
  Array.from({ length: count }, (_, turn) => [user(`${turn}`), said(`to ${turn}`)]).flat();

describe("a window with a low mark", () => {
  const window = (messages: readonly Message[]) => messageWindow(messages, { maxMessages: 8, trimTo: 4 });

  it("is cut down to it when the limit is exceeded, and then grows", () => {
    const history = turns(20);
    const starts = history.map((_, at) => at + 1 - window(history.slice(0, at + 1)).length);
    expect(starts.slice(0, 8)).toEqual(Array(8).fill(0));
    // The ninth message is the question of turn 4: that turn and the one before stay.
    expect(starts.slice(8, 14)).toEqual(Array(6).fill(6));
    expect(starts.slice(14, 20)).toEqual(Array(6).fill(12));
  });

  it("also moves in steps inside a turn over the limit", () => {
    const long = [user("a")];
    for (let call = 0; call < 12; call++) long.push(calls(`${call}`), result(`${call}`));
    const sent = Array.from({ length: 13 }, (_, call) => window(long.slice(0, 1 + 2 * call)));
    const kept = sent.map((messages) => messages.slice(1, 2).map(({ tool_calls }) => tool_calls?.[0]?.id)[0]);
    expect(kept.slice(1)).toEqual(["0", "0", "0", "3", "3", "3", "6", "6", "6", "9", "9", "9"].slice(0, 12));
    for (const messages of sent) expect(messages[0]).toEqual(user("a"));
  });

  it("begins the same for many calls even if the store drops the oldest messages, given their number", () => {
    const history = turns(500);
    const stored = 30;
    const reuse = (tell: boolean) => {
      const { reused, calls: made } = reusedCalls([history], (messages) => {
        const kept = messages.slice(-stored);
        const dropped = tell ? messages.length - kept.length : 0;
        return messageWindow(kept, { maxMessages: 8, trimTo: 4, dropped });
      });
      return reused / made;
    };
    expect(reuse(true)).toBeGreaterThan(0.6);
    expect(reuse(false)).toBeLessThan(reuse(true));
  });
});

const skipped = recordedMissing === undefined ? "" : ` (skipped: ${recordedMissing})`;

describe.skipIf(recordedMissing !== undefined)(`on the recorded conversations${skipped}`, () => {
  const share = (trimTo?: number) => {
    const { reused, calls: made } = reusedCalls(recordedConversations(), (history) =>
      messageWindow(history, { maxMessages: 20, trimTo }),
    );
    return reused / made;
  };

  it("90 % of the calls with a window of 20 begin like the call before if trimmed to half of it", () => {
    expect(share(10)).toBeGreaterThanOrEqual(0.9);
    expect(share()).toBeLessThan(0.8);
  });
});
