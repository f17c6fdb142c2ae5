import { createInMemoryProvider } from "@jaf/memory";
import { MemoryUserMemory, type UserMemoryStore } from "@jaf/user-memory";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createOfflineModel } from "../../src/assistant/offline-model.ts";
import { chat } from "../../src/chat/chat.ts";
import { scriptedTerminal } from "../support/scripted-terminal.ts";

/** Consecutive chats of one user on one store. */
function openChats(userMemory: UserMemoryStore = new MemoryUserMemory()) {
  const provider = createInMemoryProvider();
  const noted: string[] = [];
  const notes = {
    add: async (_userId: string, text: string) => void noted.push(text),
    list: async () => noted,
    remove: async (_userId: string, number: number) => noted.splice(number - 1, 1)[0],
  };
  const talk = async (...lines: string[]): Promise<string> => {
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
  /** All stored data. */
  const kept = async (): Promise<string> => {
    const conversations = await provider.findConversations({ userId: "ada" });
    const facts = await userMemory.list("ada", { status: ["active", "quarantined", "superseded"] });
    const waiting = await userMemory.queue.size();
    return JSON.stringify({ conversations, facts, audit: await userMemory.audit("ada"), waiting, noted });
  };
  return { talk, kept, memory: userMemory };
}

/** Sets the date. Timers are real. */
const setTime = (time: string) => vi.useFakeTimers({ toFake: ["Date"], now: new Date(time) });
afterEach(() => {
  vi.useRealTimers();
});

describe("a fact about the user", () => {
  it("is stated in one conversation, and known in the next", async () => {
    const { talk } = openChats();
    await talk("My name is Ada.", "my dog is Rex", "I live in Porto, and my favourite colour is blue.");
    const printed = await talk(
      ...["/new", "What is my name?", "/forget", "What is my dog?"],
      ...["/new", "do you remember my favourite colour?", "/new", "What is my cat?"],
    );
    expect(printed).toContain("agent: Your name is Ada.");
    expect(printed).toContain("agent: Your dog is Rex.");
    expect(printed).toContain("agent: Your favourite colour is blue.");
    expect(printed).toContain('agent: I found no "My cat is …" in what you told me.');
  });

  it("stays known after many questions about it", async () => {
    const { talk } = openChats();
    await talk("Hello there", "My name is Ada.", "my dog is Rex");
    const questions = ["what is my name", "what's my name", "tell me my name", "do you know my name"];
    const asked = ["", "so ", "please ", "now ", "and ", "hey, "].flatMap((start) =>
      questions.map((question) => `${start}${question}?`),
    );
    for (const question of asked) {
      expect(await talk("/new", question), question).toContain("agent: Your name is Ada.");
    }
  });

  it("is the newest statement, even a repeated one; the previous one counts after it is forgotten", async () => {
    const { talk } = openChats();
    const asked = async (day: string, ...lines: string[]) => {
      setTime(`${day}T10:00:00Z`);
      return talk("/new", ...lines, "/new", "What is my name?");
    };
    expect(await asked("2026-11-02", "My name is Ada.")).toContain("agent: Your name is Ada.\n");
    expect(await asked("2026-11-03", "My name is Grace.")).toContain("agent: Your name is Grace.\n");
    expect(await asked("2026-11-04", "My name is Ada!")).toContain("agent: Your name is Ada.\n");
    const again = await asked("2026-11-05", "My name is Grace.", "/facts my name is grace");
    const [, number = ""] = /^ +(\d+) {2}"My name is Grace\."$/m.exec(again) ?? [];
    const forgotten = await asked("2026-11-06", `/forget-fact ${number}`);
    expect(forgotten).toContain('Forgotten: "My name is Grace."');
    expect(forgotten).toContain("agent: Your name is Ada.\n");
  });

  it("includes all statements about a thing of one day", async () => {
    const { talk } = openChats();
    setTime("2026-11-02T10:00:00Z");
    await talk("My name is Ada.");
    setTime("2026-11-02T11:00:00Z");
    await talk("/new", "My name is Grace.");
    expect(await talk("/new", "What is my name?")).toContain(
      "agent: Your name is Grace. On the same day you also said Ada.",
    );
  });

  it("isn't taken from a pasted quotation or page", async () => {
    const { talk, memory } = openChats();
    await talk(
      "Look at this:\n> My name is Eve.\n> my dog is Rex",
      "> my cat is Tom",
      "The page says: my bird is Kiwi.",
    );
    const questions = ["What is my name?", "What is my dog?", "What is my cat?", "What is my bird?"];
    const printed = await talk(...questions, "/new", ...questions);
    expect(printed.match(/I found no "My (?:name|dog|cat|bird) is …" in what you told me\./g)).toHaveLength(
      8,
    );
    const known = (await memory.list("ada", { status: ["active", "quarantined"] })).map(({ fact }) => fact);
    expect(known.filter((fact) => /Eve|Rex|Tom/.test(fact))).toEqual([]);
  });

  it("is forgotten completely, while the conversations stay", async () => {
    const { talk, memory } = openChats();
    await talk("My name is Ada.", "my dog is Rex");
    const printed = await talk("/forget-me", "/facts", "/list", "/new", "What is my name?");
    expect(printed).toContain("Facts forgotten: 2.");
    expect(printed).toContain("I know nothing about you.");
    expect(printed).toContain("My name is Ada.");
    expect(printed).toContain('I found no "My name is …" in what you told me.');
    expect(await memory.verifyAudit("ada")).toMatchObject({ ok: true });
  });

  it("is extracted even if the process was killed before", async () => {
    const memory = new MemoryUserMemory();
    const job = {
      ...{ id: "turn", userId: "ada", said: ["My name is Ada."], reply: "", saidAt: new Date(), tags: [] },
      ...{ threshold: 0.7, isVerbatim: true, since: await memory.mark("ada") },
    };
    const leased = await memory.queue.enqueue(job, { leaseMs: 1_000 });
    await leased?.release(0);
    expect(await openChats(memory).talk("What is my name?")).toContain("agent: Your name is Ada.");
    expect(await memory.queue.size()).toBe(0);
  });

  it("is missing if the store can't be reached, and the reply says so", async () => {
    class Broken extends MemoryUserMemory {
      override recall(): Promise<never> {
        return Promise.reject(new Error("My name is Ada."));
      }
    }
    const printed = await openChats(new Broken()).talk("My name is Ada.", "What is my name?", "/why");
    expect(printed).toContain("memory-inject failed (Error); the reply continues without it.");
    expect(printed).toContain("agent: Your name is Ada.");
    expect(printed).toContain("The last answer used no facts about you.");
  });
});

describe("/facts", () => {
  it("shows the user's words with date and conversation, the newest first, and why a text recalls them", async () => {
    const { talk } = openChats();
    setTime("2026-11-02T10:00:00Z");
    await talk("Hello there", "my dog is Rex", "My name is Ada.\nI live in Porto.");
    const shown = await talk("/facts", "/facts which dog?", "/facts which cat?");
    expect(shown).toMatch(
      /^ {2}1 {2}"My name is Ada. I live in Porto."\n {5}in a text that you sent, 2026-11-0\d .*, in "Hello there"\n {2}2 {2}"my dog is Rex"\n {5}you said so, 2026-11-0\d .*, in "Hello there"$/m,
    );
    expect(shown).toMatch(/^ {2}2 {2}"my dog is Rex"\n.*\n {5}recalled by its words \(dog\)/m);
    expect(shown).toContain("I know nothing about you that matches.");
  });

  it("shows questions, superseded facts and facts without a quotation", async () => {
    const { talk, memory } = openChats();
    const saidAt = new Date("2026-11-02T10:00:00Z");
    const quoted = { from: "message", question: "Are you vegetarian?" } as const;
    await memory.remember("ada", "yes, both of us", { quotation: quoted, provenance: { saidAt } });
    const later = new Date("2026-11-03T10:00:00Z");
    for (const [words, at] of [
      ["My home is Rome.", saidAt],
      ["My home is Oslo.", later],
    ] as const) {
      const from = {
        quotation: { from: "message" },
        key: "home",
        validFrom: at,
        provenance: { saidAt: at },
      } as const;
      await memory.remember("ada", words, from);
    }
    await memory.remember("ada", "Pays by card", { trust: "confirmed" });
    const shown = await talk("/facts");
    expect(shown).toContain('asked "Are you vegetarian?": "yes, both of us"\n     you said so, ');
    expect(shown).toMatch(/"My home is Oslo\."\n.*in a deleted conversation\n/);
    expect(shown).toMatch(/"My home is Rome\."\n.*; replaced by a newer fact\n/);
    expect(shown).toMatch(/ Pays by card\n {5}you agreed to it, /);
  });

  it("shows the newest of many, and the number of others", async () => {
    const { talk, memory } = openChats();
    for (let number = 1; number <= 60; number++) await memory.remember("ada", `Likes tea number ${number}`);
    const shown = await talk("/facts");
    expect(shown).toContain(" 50  Likes tea number 11\n");
    expect(shown).toContain("… 10 more");
    expect(shown).not.toContain("Likes tea number 10\n");
  });

  it("shows facts that wait for review first, which count after the user agrees", async () => {
    const { talk, memory } = openChats();
    await memory.remember("ada", "My name is Eve.", { trust: "external" });
    await memory.remember("ada", "Likes tea");
    const before = await talk("/facts", "What is my name?", "/confirm 1", "/confirm 1", "/confirm 9");
    expect(before).toMatch(
      /^ {2}1 {2}My name is Eve\.\n.*someone else said so, .*; waits for your review\n/m,
    );
    expect(before).toContain('I found no "My name is …" in what you told me.');
    expect(before).toContain("Confirmed: My name is Eve.");
    expect(before).toContain("That fact doesn't wait for your review.");
    expect(before).toContain('There is no fact "9".');
    expect(await talk("/new", "What is my name?")).toContain("agent: Your name is Eve.");
  });
});

describe("the list of known facts", () => {
  it("has no requests, and is the same for /facts, /why, /stats and the assistant", async () => {
    const { talk } = openChats();
    const printed = await talk(
      ...["Hello there", "My name is Ada.", "Take a note: buy milk", "help", "What time is it?"],
      ...["What do you know about me?", "/facts", "/why 1", "/why 2", "/stats"],
    );
    expect(printed).toMatch(
      /This is what I know about you:\n- "My name is Ada\." — you said so, [^\n]*\n(?!-)/,
    );
    expect(printed).toMatch(/^ {2}1 {2}"My name is Ada\."\n/m);
    expect(printed).not.toMatch(/^ {2}2 {2}/m);
    expect(printed).toMatch(/ {2}fact +"My name is Ada\."\n/);
    expect(printed).toContain('There is no fact "2".');
    expect(printed).toContain("1 remembered, 0 replaced by newer ones, 0 waiting for your review");
  });
});

describe("/why", () => {
  it("shows the facts in the last prompt, and why", async () => {
    const { talk } = openChats();
    expect(await talk("/why")).toContain("There is no answer yet.");
    await talk("Hello there", "my dog is Rex");
    const printed = await talk("/new", "What is my dog?", "/why", "/facts dog");
    expect(printed).toMatch(
      /The last answer used these facts about you:\n {2}1 {2}"my dog is Rex"\n {5}you said so, .*, in "Hello there"\n {5}recalled by its words \(dog\)/,
    );
  });

  it("says so if there were none, even after a reply with some", async () => {
    const { talk } = openChats();
    await talk("my dog is Rex");
    const printed = await talk("/new", "What is my dog?", "What is 6 * 7?", "/why");
    expect(printed).toMatch(/6 \* 7 = 42\nThe last answer used no facts about you\.\n/);
    expect(printed).not.toContain("The last answer used these facts");
  });

  it("shows facts that were forgotten since", async () => {
    const { talk } = openChats();
    await talk("my dog is Rex");
    const printed = await talk("/new", "What is my dog?", "/forget-fact 1", "/why");
    expect(printed).toMatch(
      /Forgotten: "my dog is Rex"\nFacts of the last answer that were forgotten since: 1\.\n/,
    );
  });
});

describe("a message off the record", () => {
  it("isn't stored in a private conversation, which uses known facts", async () => {
    const { talk, kept } = openChats();
    await talk("My name is Ada.", "Take a note: buy milk");
    const before = await kept();
    const printed = await talk(
      ...["/private", "What is my name?", "/why", "my cat is Tom", "What is my cat?", "/list", "/retry"],
      ...["Take a note: buy oats", "delete note 1", "show my notes"],
    );
    expect(printed).toContain("A private conversation: nothing of it is stored or remembered.");
    expect(printed).toContain("you (private): What is my name?\nagent: Your name is Ada.");
    expect(printed).toContain('  "My name is Ada."');
    expect(printed).toContain("agent: Your cat is Tom.");
    expect(printed).toContain("This conversation is private: nothing of it is kept.");
    expect(printed).toContain("1. buy milk");
    expect(printed).toContain("There is no unanswered message.");
    expect(await kept()).toBe(before);
  });

  it("ends with a command that switches to another conversation", async () => {
    const { talk } = openChats();
    await talk("Hello there");
    for (const leave of ["/new", "/open 1", "/private", "/forget"]) {
      const printed = await talk("/private", "my cat is Tom", leave, "What is my cat?");
      expect(printed).toContain("The private conversation is deleted.");
      expect(printed).toContain('I found no "My cat is …" in what you told me.');
    }
    expect(await talk("/private", "/new", "my dog is Rex", "/new", "What is my dog?")).toContain(
      "you: What is my dog?\nagent: Your dog is Rex.",
    );
  });

  it("is stored without facts if the user asks not to remember it", async () => {
    const { talk, memory } = openChats();
    const told = await talk(
      "my dog is Rex",
      "My bird is Kiwi. Please don't remember this.",
      "What is my bird?",
    );
    expect(told).toContain("agent: Your bird is Kiwi.");
    expect((await memory.list("ada")).map(({ fact }) => fact)).not.toContainEqual(
      expect.stringContaining("Kiwi"),
    );
    const printed = await talk("/new", "What is my bird?", "What is my dog?");
    expect(printed).toContain('I found no "My bird is …" in what you told me.');
    expect(printed).toContain("agent: Your dog is Rex.");
  });
});
