import type { Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { readUserInput } from "../../src/evidence/user-input.ts";

const marked = (from: string, content: string) => ({ role: "user", content, from }) as Message;

describe("what a timer or background work says", () => {
  it.each(["timer", "work"])("isn't the user's word, and later words keep their positions, %s", (from) => {
    const said: Message = { role: "user", content: "I live in Oslo." };
    const userMessages = [marked(from, "I live in Rome."), said];
    expect(readUserInput({ messages: userMessages, userMessages, position: 4 })).toEqual({
      said: ["", "I live in Oslo."],
      position: 4,
    });
  });

  it("asks nothing for the user, e.g. not to keep something", () => {
    const userMessages = [marked("timer", "Please don't remember this."), marked("timer", "Off the record!")];
    expect(readUserInput({ messages: userMessages, userMessages })).toEqual({ said: ["", ""] });
  });

  it("announces no text of others", () => {
    const reply: Message = { role: "assistant", content: "Yes." };
    const said: Message = { role: "user", content: "I live in Oslo." };
    const announcing = "Here is an email that I got:";
    const input = (first: Message) => readUserInput({ messages: [first, reply, said], userMessages: [said] });
    expect(input({ role: "user", content: announcing })).toMatchObject({ isAnnounced: true });
    expect(input(marked("work", announcing))).not.toHaveProperty("isAnnounced");
  });
});
