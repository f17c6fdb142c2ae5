import { createInMemoryProvider } from "@jaf/memory";
import { MemoryUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import { describe, expect, it } from "vitest";
import { createOfflineModel } from "../src/assistant/offline-model.ts";
import { chat } from "../src/chat/chat.ts";
import { scriptedTerminal } from "./support/scripted-terminal.ts";

const notes = { add: async () => {}, list: async () => [], remove: async () => undefined };

/** Chats of one user, one after the other, on one store. */
function openChats(userMemory: UserMemoryStore = new MemoryUserMemory()) {
  const provider = createInMemoryProvider();
  return async (...lines: string[]): Promise<string> => {
    const { terminal, printed } = scriptedTerminal(...lines);
    await chat({
      store: { provider, userMemory, notes, close: async () => {} },
      userId: "ada",
      modelProvider: createOfflineModel({ wordDelayMs: 0 }),
      notices: ["offline"],
      terminal,
      signal: new AbortController().signal,
    });
    await userMemory.drain();
    return printed();
  };
}

describe("what the assistant knows of its user", () => {
  it("is told in one conversation, and known in the next", async () => {
    const talk = openChats();
    await talk("My name is Ada.", "my dog is Rex");
    const printed = await talk("/new", "What is my name?", "/forget", "What is my dog?");
    expect(printed).toContain("agent: Your name is Ada.");
    expect(printed).toContain("agent: Your dog is Rex.");
  });

  it("is the newest word on each thing; what it took the place of counts again once it is forgotten", async () => {
    const talk = openChats();
    await talk("My name is Ada.", "/new", "My name is Grace.");
    const shown = await talk("/facts", "/new", "What is my name?");
    expect(shown).toMatch(/1 {2}The user's name is Grace\n.*in place of: The user's name is Ada\n/s);
    expect(shown).toContain("agent: Your name is Grace.");
    const forgotten = await talk("/forget-fact 1", "/new", "What is my name?");
    expect(forgotten).toContain(
      "Forgotten: The user's name is Grace. What you had said before counts again.",
    );
    expect(forgotten).toContain("agent: Your name is Ada.");
  });

  it("is shown with whose word it is, the words, and the conversation; and why a text recalls it", async () => {
    const talk = openChats();
    await talk("Hello there", "my dog is Rex");
    const shown = await talk("/facts", "/facts which dog?", "/facts which cat?");
    expect(shown).toMatch(
      / {2}1 {2}The user's dog is Rex\n {5}you said so, .*, in "Hello there": "my dog is Rex"/,
    );
    expect(shown).toContain("recalled by its words (dog)");
    expect(shown).toContain("I know nothing of that about you.");
  });

  it("is never what a page says, unless the user agrees", async () => {
    const talk = openChats();
    await talk("The page says: my name is Eve.");
    const before = await talk("/facts", "/new", "What is my name?", "/confirm 1", "/confirm 1", "/confirm 2");
    expect(before).toContain("somebody else said so; it waits for your word");
    expect(before).toContain("You haven't told me your name yet.");
    expect(before).toContain("So it is: The user's name is Eve");
    expect(before).toContain("That fact doesn't wait for your word.");
    expect(before).toContain('There is no fact "2".');
    expect(await talk("/new", "What is my name?")).toContain("agent: Your name is Eve.");
  });

  it("is forgotten whole, while the conversations stay", async () => {
    const memory = new MemoryUserMemory();
    const talk = openChats(memory);
    await talk("My name is Ada.", "my dog is Rex");
    const printed = await talk("/forget-me", "/facts", "/list", "/new", "What is my name?");
    expect(printed).toContain("Facts forgotten: 2.");
    expect(printed).toContain("I know nothing of that about you.");
    expect(printed).toContain("My name is Ada.");
    expect(printed).toContain("You haven't told me your name yet.");
    expect(await memory.verifyAudit("ada")).toMatchObject({ ok: true, facts: 0 });
  });

  it("holds what a process that was killed had still to learn", async () => {
    const memory = new MemoryUserMemory();
    const job = {
      ...{ id: "turn", userId: "ada", said: ["My name is Ada."], reply: "", saidAt: new Date(), tags: [] },
      ...{ threshold: 0.7, since: await memory.mark("ada") },
    };
    const leased = await memory.queue.enqueue(job, { leaseMs: 1_000 });
    await leased?.release(0);
    expect(await openChats(memory)("What is my name?")).toContain("agent: Your name is Ada.");
    expect(await memory.queue.size()).toBe(0);
  });

  it("may be out of reach: the answer says so, and comes without it", async () => {
    class Broken extends MemoryUserMemory {
      override recall(): Promise<never> {
        return Promise.reject(new Error("My name is Ada."));
      }
    }
    const printed = await openChats(new Broken())("My name is Ada.", "What is my name?");
    expect(printed).toContain("memory-inject failed (Error); it goes on without.");
    expect(printed).toContain("agent: Your name is Ada.");
  });
});
