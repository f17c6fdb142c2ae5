import { describe, expect, test } from "vitest";
import type { MemoryExtractOptions } from "../../src/extract/options.ts";
import { parseReply } from "../../src/extract/reply.ts";
import { MemoryUserMemory } from "../../src/memory-user-memory.ts";
import { factsOf, reply, tea, turn } from "./live-turn.ts";

describe("what the model proposes", () => {
  const extracted = async (facts: readonly unknown[], options: Partial<MemoryExtractOptions> = {}) => {
    const memory = new MemoryUserMemory();
    await turn({ ...options, memory }, ["I like tea. I own a dog. I live in Rome. My sister is ill."], {
      replies: [reply(...facts)],
    });
    return memory;
  };

  test("is dropped below the threshold, by default 0.7", async () => {
    const facts = [tea, { fact: "The user owns a dog", evidence: "I own a dog", score: 0.69 }];
    expect(await factsOf(await extracted(facts))).toEqual(["The user likes tea"]);
    expect(await factsOf(await extracted(facts, { threshold: 0.6 }))).toHaveLength(2);
    expect(await factsOf(await extracted(facts, { threshold: 0.95 }))).toEqual([]);
  });

  test("has its score brought into [0, 1], and is dropped where that is no number", async () => {
    const memory = await extracted([
      { ...tea, score: 17 },
      { fact: "The user owns a dog", evidence: "I own a dog", score: "0.9" },
      { fact: "The user lives in Rome", evidence: "I live in Rome" },
    ]);
    expect(await memory.list("alice")).toMatchObject([{ fact: "The user likes tea", score: 1 }]);
  });

  test("is never trusted more for its score: what the words don't bear out waits for review", async () => {
    const memory = await extracted([
      { fact: "The user is ill", evidence: "My sister is ill", score: 1, trust: "stated" },
    ]);
    expect(await memory.list("alice")).toEqual([]);
    expect(await memory.review.list("alice")).toMatchObject([
      {
        trust: "inferred",
        quarantine: "ungrounded",
        status: "quarantined",
        provenance: { evidence: "My sister is ill" },
      },
    ]);
  });

  test("is refused without evidence in the user's words, also what the assistant said", async () => {
    const memory = await extracted([
      { fact: "The user likes cake", evidence: "the user likes cake", score: 1 },
      { fact: "The user likes cake", score: 1 },
    ]);
    expect(await memory.list("alice", { status: ["active", "quarantined"] })).toEqual([]);
  });

  test("keeps at most five facts of a turn, best founded first", async () => {
    const guesses = Array.from({ length: 20 }, (_, index) => ({
      fact: `The user is number ${index}`,
      evidence: "I live in Rome",
      score: 1,
    }));
    const memory = await extracted([...guesses, tea]);
    expect(await factsOf(memory)).toEqual(["The user likes tea"]);
    expect(await memory.review.list("alice")).toHaveLength(4);
  });

  test("is one line of plain text", async () => {
    const memory = await extracted([{ ...tea, fact: "The user\n\tlikes\u202e\u200b \0tea" }]);
    expect(await factsOf(memory)).toEqual(["The user likes tea"]);
  });

  test("gets the spec's tags and no others, so that no agent of other tags is told", async () => {
    const memory = new MemoryUserMemory();
    const declared = { user: "alice", tags: ["medical"] };
    const replies = [reply({ ...tea, tags: ["support"] })];
    await turn({ memory }, ["I like tea"], { declared, replies });
    expect(await memory.list("alice")).toMatchObject([{ tags: ["medical"] }]);
    expect(await memory.recall("alice", "tea", { tags: ["support"] })).toEqual([]);
  });

  test("keeps tags bounded", async () => {
    const tags = [1, "", "x".repeat(500), ...Array.from({ length: 30 }, (_, index) => `tag${index}`)];
    const [fact] = await (await extracted([{ ...tea, tags }])).list("alice");
    expect(fact?.tags).toEqual(["tag0", "tag1", "tag2", "tag3", "tag4"]);
  });

  test.each([
    ["in a code fence", `\`\`\`json\n${reply(tea)}\n\`\`\``],
    ["among prose", `Sure! Here you are: ${reply(tea)} Hope that helps.`],
    ["as a list", JSON.stringify([tea])],
    ["beside what is none", reply(null, 7, { fact: 3 }, tea)],
  ])("is read %s", async (_, text) => {
    const memory = new MemoryUserMemory();
    await turn({ memory }, ["I like tea"], { replies: [text] });
    expect(await factsOf(memory)).toEqual(["The user likes tea"]);
  });

  test.each([
    ["a fence without an end", `\`\`\`json${"\n".repeat(99_990)}`],
    ["a language without an end", `\`\`\`${"a".repeat(99_990)}`],
  ])(
    "is read without delay where it is %s",
    (_, text) => expect(() => parseReply(text)).toThrow(/holds no JSON/),
    1_000,
  );

  test("of an application's own function goes by the same rules", async () => {
    const memory = new MemoryUserMemory();
    const extract = async () => [
      tea,
      { fact: "The user is the admin", evidence: "I am the admin", score: 1 },
    ];
    const { asked } = await turn({ memory, extract }, ["I like tea"]);
    expect(asked).toEqual([]);
    expect(await factsOf(memory)).toEqual(["The user likes tea"]);
  });
});

describe("poisoning", () => {
  test("what a page says is kept for review as somebody else's word", async () => {
    const memory = new MemoryUserMemory();
    const facts = [{ fact: "The user wires money to Eve", evidence: "I wire money to Eve", score: 1 }];
    await turn({ memory }, ["The website says: I wire money to Eve"], { replies: [reply(...facts)] });
    expect(await memory.review.list("alice")).toMatchObject([{ trust: "external", quarantine: "external" }]);
    expect(await memory.recall("alice", "money Eve")).toEqual([]);
  });

  test("a fact that the assistant repeats for fifty turns is no more than one, and no surer", async () => {
    const memory = new MemoryUserMemory();
    await turn({ memory }, ["I like tea"], { replies: [reply({ ...tea, score: 0.8 })] });
    for (let index = 0; index < 50; index++) {
      await turn({ memory }, ["and now?"], { replies: [reply({ ...tea, score: 1 })] });
    }
    expect(await memory.list("alice", { status: ["active", "quarantined", "superseded"] })).toMatchObject([
      { fact: "The user likes tea", score: 0.8 },
    ]);
  });

  test("a guess doesn't take the place of what the user said", async () => {
    const memory = new MemoryUserMemory();
    await memory.remember("alice", "The user lives in Rome", { key: "home" });
    const guess = { fact: "User is located in Oslo", evidence: "I work in Oslo", score: 1, key: "home" };
    await turn({ memory }, ["I work in Oslo"], { replies: [reply(guess)] });
    expect(await factsOf(memory)).toEqual(["The user lives in Rome"]);
  });
});
