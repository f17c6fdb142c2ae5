import { emptyTurn, foldTurn, type PositionedMessage } from "@jaf/server/client";
import { describe, expect, it } from "vitest";
import { entriesOf, isRejected } from "../../../page/src/chat/entries.ts";

const call = (id: string) => [
  { id, type: "function" as const, function: { name: "notes", arguments: "{}" } },
];
const user = { role: "user", content: "Hi" } as const;
const asks = { role: "assistant", content: "", tool_calls: call("1") } as const;
const result = { role: "tool", content: '{"status":"success","data":"Done"}', tool_call_id: "1" } as const;
const reply = { role: "assistant", content: "Done" } as const;
const stored = (...messages: readonly PositionedMessage["message"][]): readonly PositionedMessage[] =>
  messages.map((message, position) => ({ position, message }));

type Event = Parameters<typeof foldTurn>[1]["event"];
const startAt = (position: number): Event => ({
  ...{ type: "turn_start", turnId: "t", conversationId: "c", agentName: "a", position },
});
const start = startAt(1);
const message = (said: PositionedMessage["message"]): Event => ({
  type: "message",
  agentName: "a",
  message: said,
});
const ends: Event = {
  type: "tool_end",
  toolCallId: "1",
  toolName: "notes",
  status: "success",
  durationMs: 1,
  result: "Done",
};
const turn = (...events: readonly Event[]) =>
  events.reduce((view, event, number) => foldTurn(view, { number, event }), emptyTurn);
const kinds = (entries: ReturnType<typeof entriesOf>) =>
  entries.map((entry) =>
    entry.type === "message"
      ? `${entry.message.role}: ${entry.message.content}`
      : entry.type === "tool"
        ? `tool ${entry.tool.state}`
        : entry.type,
  );

describe("entriesOf", () => {
  it("shows a result with its call", () => {
    const entries = entriesOf({
      messages: stored(user, asks, result, reply),
      said: undefined,
      turn: undefined,
    });
    expect(kinds(entries)).toEqual(["user: Hi", "assistant: ", "tool success", "assistant: Done"]);
  });

  it("shows a new message before the turn that answers it", () => {
    const entries = entriesOf({ messages: [], said: "Hi", turn: turn(start, { type: "text", text: "Hel" }) });
    expect(kinds(entries)).toEqual(["user: Hi", "pieces"]);
  });

  it("shows a call that the model writes behind what it said, under the key of the call", () => {
    const written: Event = {
      type: "tool_arguments",
      ...{ index: 0, toolCallId: "1", toolName: "notes", arguments: "{" },
    };
    const said: Event = { type: "text", text: "I look." };
    const coming = entriesOf({ messages: [], said: "Hi", turn: turn(start, said, written) });
    expect(kinds(coming)).toEqual(["user: Hi", "pieces", "writing"]);
    const called = entriesOf({ messages: [], said: "Hi", turn: turn(start, said, written, message(asks)) });
    expect(kinds(called)).toEqual(["user: Hi", "assistant: ", "tool called"]);
    expect(called.map(({ key }) => key)).toEqual(coming.map(({ key }) => key));
  });

  it.each([
    ["nothing", stored(user)],
    ["the call", stored(user, asks)],
    ["the call and its result", stored(user, asks, result)],
    ["all messages", stored(user, asks, result, reply)],
  ])("shows a turn once if the store has %s of it", (_, messages) => {
    const entries = entriesOf({
      messages,
      said: undefined,
      turn: turn(start, message(asks), ends, message(reply)),
    });
    expect(kinds(entries)).toEqual(["user: Hi", "assistant: ", "tool success", "assistant: Done"]);
  });

  it("doesn't confuse an earlier reply with the same text with this turn's", () => {
    const messages = stored(user, reply, user);
    const entries = entriesOf({
      messages,
      said: undefined,
      turn: turn(startAt(3), message({ role: "assistant", content: "Other" })),
    });
    expect(kinds(entries)).toEqual(["user: Hi", "assistant: Done", "user: Hi", "assistant: Other"]);
  });

  it("keeps an earlier reply with the same text, and the messages after it", () => {
    const again = turn(startAt(3), message(reply));
    const entries = entriesOf({ messages: stored(user, reply, user), said: undefined, turn: again });
    expect(kinds(entries)).toEqual(["user: Hi", "assistant: Done", "user: Hi", "assistant: Done"]);
  });

  it("shows a waiting call in its place after the next turn has run it", () => {
    const entries = entriesOf({
      messages: stored(user, asks),
      said: undefined,
      turn: turn(startAt(2), ends, message(reply)),
    });
    expect(kinds(entries)).toEqual(["user: Hi", "assistant: ", "tool success", "assistant: Done"]);
  });

  it.each([
    ["nothing", stored(user)],
    ["the input", stored(user, asks, result, { role: "user", content: "Short" })],
  ])("shows what the turn took once and in its place if the store has %s of it", (_, messages) => {
    const input: Event = { type: "input", messages: [{ role: "user", content: "Short" }] };
    const sent = ["Short", "Short"].map((text, index) => ({ key: `k-${index}`, text, after: 0 }));
    const before = entriesOf({
      messages: stored(user),
      said: undefined,
      sent,
      turn: turn(start, message(asks)),
    });
    expect(kinds(before)).toEqual(["user: Hi", "assistant: ", "tool called", "waiting", "waiting"]);
    const taken = turn(start, message(asks), ends, input, message(reply));
    expect(kinds(entriesOf({ messages, said: undefined, sent, turn: taken }))).toEqual([
      ...["user: Hi", "assistant: ", "tool success", "user: Short", "assistant: Done", "waiting"],
    ]);
  });

  it("marks a stopped turn's last message and its running call", () => {
    const marks = (messages: readonly PositionedMessage[], to: number) =>
      entriesOf({ messages, said: undefined, turn: undefined, stopped: [{ from: 0, to }] }).map(
        (entry) => "stopped" in entry && entry.stopped === true,
      );
    expect(marks(stored(user, reply, user, reply), 2)).toEqual([false, true, false, false]);
    expect(marks(stored(user, asks), 2)).toEqual([false, false, true]);
  });

  it("shows a rejected call as rejected", () => {
    const content = '{"status":"permission_denied","error":{"message":"The call was not approved."}}';
    const entries = entriesOf({
      messages: stored(user, asks, { ...result, content }),
      said: undefined,
      turn: undefined,
    });
    expect(kinds(entries)).toContain("tool permission_denied");
    expect(isRejected("permission_denied", content)).toBe(true);
    expect(isRejected("success", result.content)).toBe(false);
  });

  it("keeps calls with the same id apart", () => {
    const failed = { ...result, content: '{"status":"error","error":{"message":"No"}}' };
    const entries = entriesOf({
      messages: stored(user, asks, result, user, asks, failed),
      said: undefined,
      turn: undefined,
    });
    expect(kinds(entries).filter((kind) => kind.startsWith("tool"))).toEqual(["tool success", "tool error"]);
  });
});
