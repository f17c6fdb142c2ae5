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

describe("the place of a turn's reply", () => {
  it.each([
    ["a first turn without stored messages", [], 1, 1, []],
    ["a first turn that has stored the user's message", [user], 1, 1, []],
    ["a first turn that has stored replies", [user, asking, result], 1, 1, []],
    ["a later turn without stored messages, after a waiting call", [user, asking], 3, 3, []],
    ["a later turn that has stored replies", [user, reply, user, reply], 3, 3, []],
    ["an edit while the old reply is still stored", [user, reply, user, reply], 1, 1, []],
    ["a turn with a history that contains more messages", [user, reply, user, reply], 2, 3, []],
    ["a turn that continues a call", [user, asking], 2, 1, [asking]],
    ["a turn that continues a call and has stored results", [user, asking, result, reply], 2, 1, [asking]],
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
