import type { ConversationMemory, Message } from "@jaf/memory";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newMessagesIn } from "../../src/stored/new-messages.ts";
import { assistant, calling, result, user } from "../support/setup.ts";

const conversation = (messages: readonly Message[], nextPosition = messages.length): ConversationMemory => ({
  conversationId: "c",
  messages,
  metadata: {
    createdAt: new Date(0),
    updatedAt: new Date(0),
    lastActivity: new Date(0),
    totalMessages: messages.length,
    nextPosition,
  },
});

const message = fc.oneof(fc.string().map(user), fc.string().map(assistant));
const messages = fc.array(message, { minLength: 1, maxLength: 6 });
const said = fc.array(fc.string().map(user), { minLength: 1, maxLength: 3 });
const reply = fc.string().map(assistant);

describe("the new messages of a run's input", () => {
  it("are all for a new conversation", () => {
    expect(newMessagesIn([user("Hi")], null)).toEqual([user("Hi")]);
    expect(newMessagesIn([user("Hi")], conversation([]))).toEqual([user("Hi")]);
  });

  it("are those after the stored history if the input begins with it", () => {
    fc.assert(
      fc.property(messages, messages, (stored, more) => {
        expect(newMessagesIn([...stored, ...more], conversation(stored))).toEqual(more);
        expect(newMessagesIn(stored, conversation(stored))).toEqual([]);
      }),
    );
  });

  it("are the later ones if the store has dropped the beginning, even in a repetitive conversation", () => {
    fc.assert(
      fc.property(messages, messages, reply, said, (dropped, stored, last, more) => {
        const kept = [...stored, last];
        const known = conversation(kept, dropped.length + kept.length);
        expect(newMessagesIn([...dropped, ...kept, ...more], known)).toEqual(more);
        expect(newMessagesIn([...dropped.slice(1), ...kept, ...more], known)).toEqual(more);
      }),
    );
  });

  it("include a failed run's messages if the store has dropped the beginning", () => {
    const known = conversation([user("2"), assistant("two")], 4);
    const failed = [user("3"), calling(["a", "x"]), result("a", "r"), user("4")];
    const copy = [user("1"), assistant("one"), user("2"), assistant("two"), ...failed];
    expect(newMessagesIn(copy, known)).toEqual(failed);
  });

  it("are undefined if the history contradicts the stored one", () => {
    const stored = [user("1"), assistant("one")];
    for (const incoming of [
      [user("1"), assistant("ONE"), user("2")],
      [user("0"), ...stored, user("2")],
      [assistant("one"), user("2")],
      [calling(["a", "x"]), result("a", "forged")],
    ]) {
      expect(newMessagesIn(incoming, conversation(stored))).toBeUndefined();
    }
  });

  it("are undefined if the history is older than the stored one", () => {
    const stored = [user("1"), assistant("one"), user("2"), assistant("two")];
    expect(newMessagesIn([user("1"), assistant("one"), user("3")], conversation(stored))).toBeUndefined();
  });

  it("are found with the sanitized history, too, because a final state has it", () => {
    const stored = [user("1"), calling(["a", "x"], ["b", "x"]), result("b", "2"), result("a", "1")];
    const replayed = [user("1"), calling(["a", "x"], ["b", "x"]), result("a", "1"), result("b", "2")];
    expect(newMessagesIn([...replayed, user("2")], conversation(stored))).toEqual([user("2")]);
    expect(newMessagesIn([...stored, user("2")], conversation(stored))).toEqual([user("2")]);
  });

  it("don't depend on key order or undefined fields", () => {
    const incoming = [{ content: "1", tool_calls: undefined, role: "user" } as unknown as Message, user("2")];
    expect(newMessagesIn(incoming, conversation([user("1")]))).toEqual([user("2")]);
  });

  it("ignore fields of a prototype", () => {
    const incoming = [Object.assign(Object.create({ content: "1" }), { role: "user" }) as Message];
    expect(newMessagesIn(incoming, conversation([user("1")]))).toEqual(incoming);
  });

  it("are found in linear time, also in a repetitive conversation", () => {
    const same = Array.from({ length: 20_000 }, () => user("same"));
    const known = conversation([...same, assistant("end")], 40_000);
    const start = performance.now();
    newMessagesIn([assistant("x"), ...same, ...same, user("new")], known);
    newMessagesIn([...same, ...same, user("new")], known);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe("only user messages", () => {
  it("are new after a reply, even if repeated", () => {
    const stored = conversation([user("Sure?"), assistant("Yes?"), user("yes"), assistant("Done.")]);
    expect(newMessagesIn([user("yes")], stored)).toEqual([user("yes")]);
  });

  it.each([
    ["nothing", []],
    ["an open call", [calling(["a", "x"])]],
    ["a result", [calling(["a", "x"], ["b", "x"]), result("a", "1")]],
  ])("are a retry if they repeat the last ones, which got %s", (_what, behind) => {
    const stored = conversation([user("1"), assistant("one"), user("2"), user("3"), ...behind]);
    expect(newMessagesIn([user("2"), user("3")], stored)).toEqual([]);
    expect(newMessagesIn([user("3")], stored)).toEqual([]);
    expect(newMessagesIn([user("2")], stored)).toEqual([user("2")]);
    expect(newMessagesIn([user("4")], stored)).toEqual([user("4")]);
  });

  it("are new if there are more than the unanswered ones", () => {
    const stored = conversation([user("1"), assistant("one"), user("2")]);
    const incoming = [user("1"), user("2")];
    expect(newMessagesIn(incoming, stored)).toEqual(incoming);
  });

  it("are never lost if the store has dropped its oldest messages", () => {
    const stored = conversation([assistant("Sure?"), user("yes"), assistant("Done.")], 9);
    const incoming = [user("no"), user("yes")];
    expect(newMessagesIn(incoming, stored)).toEqual(incoming);
    expect(newMessagesIn(incoming, conversation([user("yes")], 9))).toEqual(incoming);
    expect(newMessagesIn([user("yes"), user("yes")], conversation([user("yes")], 9))).toEqual([user("yes")]);
  });
});
