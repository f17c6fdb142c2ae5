import type { RichMessage } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { replyPlace } from "../../src/ai-sdk/stored-chat.ts";

const user: RichMessage = { role: "user", content: "?" };
const reply: RichMessage = { role: "assistant", content: "!" };
const asking: RichMessage = {
  role: "assistant",
  content: "",
  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
};
const result: RichMessage = { role: "tool", tool_call_id: "c", content: "1" };

describe("where a turn's reply begins", () => {
  it.each([
    ["a first turn of which nothing is stored", [], 1, 1, []],
    ["a first turn that has stored what was said", [user], 1, 1, []],
    ["a first turn that has stored replies", [user, asking, result], 1, 1, []],
    ["a later turn of which nothing is stored, behind a call that waits", [user, asking], 3, 3, []],
    ["a later turn that has stored replies", [user, reply, user, reply], 3, 3, []],
    ["an edit of which the old reply is still there", [user, reply, user, reply], 1, 1, []],
    ["a turn with a history that says more", [user, reply, user, reply], 2, 3, []],
    ["a turn that goes on with a call", [user, asking], 2, 1, [asking]],
    ["one that has stored results", [user, asking, result, reply], 2, 1, [asking]],
    ["one of several steps", [user, asking, result, asking], 4, 1, [asking, result, asking]],
  ] as const)("of %s", (_, messages, turnPosition, position, before) => {
    for (const firstPosition of [0, 40]) {
      expect(replyPlace({ messages, firstPosition }, turnPosition + firstPosition)).toEqual({
        position: position + firstPosition,
        before,
      });
    }
  });
});
