import { describe, expect, test } from "vitest";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";
import { renderUserMemory } from "../../src/render/render.ts";
import { factsOf, reply, spec, tea, turn } from "../support/live-turn.ts";
import { assistant, user } from "../support/turn.ts";

const verbatim = { ...spec, extract: "verbatim" } as const;

describe("verbatim extraction", () => {
  test("stores the user's words as quotations without a model", async () => {
    const memory = new MemoryUserMemory();
    const said = ["I like tea.\n\n> he likes cake", "Ich wohne in Köln."];
    const { asked } = await turn({ memory }, said, { declared: verbatim, conversationId: "c", position: 4 });
    expect(asked).toEqual([]);
    expect(await memory.list("alice")).toMatchObject([
      { fact: "Ich wohne in Köln.", trust: "inferred", provenance: { position: 5, extractor: "verbatim" } },
      { fact: "I like tea.", quotation: { from: "text" }, provenance: { position: 4 } },
    ]);
  });

  test("gives the same items as a model that points at the same words", async () => {
    const memory = new MemoryUserMemory();
    await turn({ memory }, ["I like tea"], { declared: verbatim });
    await turn({ memory }, ["I like tea"], { replies: [reply(tea)] });
    expect(await factsOf(memory)).toEqual(["I like tea"]);
  });

  test("leaves out small talk, bare questions and bare commands", async () => {
    const memory = new MemoryUserMemory();
    for (const said of ["What's the capital of France?", "Translate this", "Thanks, that was great!"])
      await turn({ memory }, [said], { declared: verbatim });
    expect(await factsOf(memory)).toEqual([]);
    const asked = "Can you suggest a vegan restaurant, I'm allergic to nuts?";
    await turn({ memory }, [asked], { declared: verbatim });
    expect(await factsOf(memory)).toEqual([asked]);
  });

  test("stores a short answer with its question", async () => {
    const memory = new MemoryUserMemory();
    const messages = [user("Hi"), assistant("Welcome! Are you vegetarian?"), user("yes, both of us")];
    const fields = { startedAt: Date.parse("2026-11-02T10:00:00Z"), userMessages: messages.slice(2) };
    const state = { runId: "r", traceId: "t", messages, currentAgentName: "a", context: {}, turnCount: 0 };
    await turn({ memory }, [], { declared: verbatim, ...fields, state: state as never });
    const facts = await memory.recall("alice", "vegetarian");
    expect(facts).toMatchObject([
      { fact: "yes, both of us", quotation: { question: "Are you vegetarian?" } },
    ]);
    expect(renderUserMemory(facts)).toContain(
      '\n- Asked "Are you vegetarian?", the user said on 2026-11-02: "yes, both of us"\n',
    );
  });

  test("leaves out text that the previous message announced as third-party text", async () => {
    const memory = new MemoryUserMemory();
    const messages = [user("Translate this:"), assistant("Go on."), user("My bank is Acme.")];
    const state = { runId: "r", traceId: "t", messages, currentAgentName: "a", context: {}, turnCount: 0 };
    await turn({ memory }, [], {
      declared: verbatim,
      userMessages: messages.slice(2),
      state: state as never,
    });
    expect(await factsOf(memory)).toEqual([]);
  });
});

describe("off the record", () => {
  test.each([
    ["before", ["Please don't remember this. I like tea."]],
    ["behind", ["I like tea", "Don't save that."]],
    ["in another language", ["Ich mag Tee. Bitte nicht speichern."]],
  ])("nothing of the turn is kept, nor put into the queue: %s", async (_, said) => {
    const memory = new MemoryUserMemory();
    const { asked } = await turn({ memory }, said, { replies: [reply(tea)] });
    await turn({ memory }, said, { declared: verbatim });
    expect(asked).toEqual([]);
    expect(await factsOf(memory)).toEqual([]);
  });

  test("the model can mark a turn as private, whatever else it proposes", async () => {
    const memory = new MemoryUserMemory();
    await turn({ memory }, ["I like tea. Keep mum."], {
      replies: [JSON.stringify({ private: true, facts: [tea] })],
    });
    expect(await factsOf(memory)).toEqual([]);
    expect(await memory.queue.size()).toBe(0);
  });

  test("a secret is never stored or sent to the model", async () => {
    const memory = new MemoryUserMemory();
    const said = ["I like tea. My password is hunter2. I own a dog."];
    const lie = { fact: "The user's password is hunter2", evidence: "I own a dog", score: 1 };
    const { asked } = await turn({ memory }, said, { replies: [reply(tea, lie)] });
    expect(JSON.stringify(asked)).not.toContain("hunter2");
    await turn({ memory }, said, { declared: verbatim });
    expect(JSON.stringify(await memory.list("alice"))).not.toContain("hunter2");
    expect(await memory.recall("alice", "password")).toEqual([]);
    expect((await factsOf(memory)).toSorted()).toEqual(["I like tea.", "I own a dog."]);
  });
});
