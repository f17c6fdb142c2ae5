import { describe, expect, test } from "vitest";
import type { MemoryExtractOptions } from "../../src/extraction/options.ts";
import { parseReply } from "../../src/extraction/prompt.ts";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";
import { factsOf, reply, tea, turn } from "../support/live-turn.ts";

const SAID = "I like tea.\n\nI own a dog.\n\nI live in Rome.\n\nMy sister is ill.";
const quoted = (fact: string, fields: object = {}) => ({
  fact,
  trust: "inferred",
  status: "active",
  quotation: { from: "text" },
  ...fields,
});

describe("a proposal of the model", () => {
  const extracted = async (facts: readonly unknown[], options: Partial<MemoryExtractOptions> = {}) => {
    const memory = new MemoryUserMemory();
    await turn({ ...options, memory }, [SAID], { replies: [reply(...facts)] });
    return memory;
  };

  test("is dropped below the threshold (default 0.7)", async () => {
    const facts = [tea, { fact: "The user owns a dog", evidence: "I own a dog", score: 0.69 }];
    const wanted = [SAID.replaceAll("\n\n", " ")];
    expect(await factsOf(await extracted(facts))).toEqual(wanted);
    expect(await factsOf(await extracted(facts.slice(1)))).toEqual([]);
    expect(await factsOf(await extracted(facts.slice(1), { threshold: 0.6 }))).toEqual(wanted);
  });

  test("has its score clamped to [0, 1], and is dropped if the score isn't a number", async () => {
    const memory = new MemoryUserMemory();
    const facts = [
      { ...tea, score: 17 },
      { ...tea, fact: "The user adores tea", score: "0.9" },
    ];
    await turn({ memory }, ["I like tea"], { replies: [reply(...facts)] });
    expect(await memory.list("alice")).toMatchObject([{ fact: "I like tea", score: 1 }]);
  });

  test("is never shown; the user's words are", async () => {
    const memory = await extracted([
      { fact: "The user is ill", evidence: "My sister is ill", score: 1, trust: "stated" },
    ]);
    expect(await memory.list("alice")).toMatchObject([quoted(SAID.replaceAll("\n\n", " "))]);
    expect(JSON.stringify(await memory.list("alice"))).not.toContain("The user is ill");
    expect(await memory.recall("alice", "who is the user?", { minTrust: "confirmed" })).toEqual([]);
  });

  test("is found by its own words", async () => {
    const memory = new MemoryUserMemory();
    const fact = { fact: "The user's hobby is angling", evidence: "On Sundays I sit by the lake", score: 1 };
    await turn({ memory }, ["On Sundays I sit by the lake with a rod."], { replies: [reply(fact)] });
    expect(await memory.recall("alice", "hobby")).toMatchObject([
      { fact: "On Sundays I sit by the lake with a rod." },
    ]);
  });

  test("is merged with others for the same words into one quotation", async () => {
    const memory = new MemoryUserMemory();
    const facts = Array.from({ length: 50 }, (_, index) => ({ ...tea, fact: `The user likes tea ${index}` }));
    await turn({ memory }, ["I like tea"], { replies: [reply(...facts)] });
    expect(await factsOf(memory)).toEqual(["I like tea"]);
  });

  test("is refused without evidence in the user's words, also if the assistant said it", async () => {
    const memory = await extracted([
      { fact: "The user likes cake", evidence: "the user likes cake", score: 1 },
      { fact: "The user likes cake", score: 1 },
    ]);
    expect(await memory.list("alice", { status: ["active", "quarantined"] })).toEqual([]);
  });

  test("is dropped beyond maxFacts, lowest score first", async () => {
    const memory = new MemoryUserMemory();
    const said = Array.from({ length: 20 }, (_, index) => `Number ${index} is what I call car ${index}.`);
    const facts = said.map((evidence, index) => ({ fact: evidence, evidence, score: 0.8 + index / 100 }));
    await turn({ memory, maxFacts: 3 }, said, { replies: [reply(...facts)] });
    expect(await factsOf(memory)).toEqual(said.slice(-3));
  });

  test("is stored in its own wording, as inferred, if the application verifies it", async () => {
    const asked: unknown[] = [];
    const verify: MemoryExtractOptions["verify"] = async (fact, evidence) => {
      asked.push([fact, evidence]);
      if (fact.includes("ill")) throw new Error("down");
      return true;
    };
    const errors: unknown[] = [];
    const options = { verify, onError: (error: unknown) => void errors.push(error) };
    const memory = new MemoryUserMemory();
    const ill = { fact: "The user's sister is ill", evidence: "My sister is ill", score: 0.8 };
    await turn({ memory, ...options }, ["I like tea.", "My sister is ill."], { replies: [reply(tea, ill)] });
    expect(asked).toEqual([
      ["The user likes tea", "I like tea."],
      ["The user's sister is ill", "My sister is ill."],
    ]);
    expect(errors).toMatchObject([{ message: "down" }]);
    const [verified, unverified] = await memory.list("alice");
    expect(verified).toMatchObject({ fact: "The user likes tea", trust: "inferred" });
    expect(verified?.provenance.evidence).toBe("I like tea.");
    expect(verified).not.toHaveProperty("quotation");
    expect(unverified).toMatchObject(quoted("My sister is ill."));
  });

  test("is one line of plain text", async () => {
    const memory = new MemoryUserMemory();
    const said = "I\n\tlike\u202e\u200b \u0007tea";
    await turn({ memory }, [said], { replies: [reply({ ...tea, evidence: "I like tea" })] });
    expect(await factsOf(memory)).toEqual(["I like tea"]);
  });

  test("gets only the spec's tags", async () => {
    const memory = new MemoryUserMemory();
    const declared = { user: "alice", tags: ["medical"] };
    const replies = [reply({ ...tea, tags: ["support"] })];
    await turn({ memory }, ["I like tea"], { declared, replies });
    expect(await memory.list("alice")).toMatchObject([{ tags: ["medical"] }]);
    expect(await memory.recall("alice", "tea", { tags: ["support"] })).toEqual([]);
  });

  test("has a limited number of tags", async () => {
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
    expect(await factsOf(memory)).toEqual(["I like tea"]);
  });

  test.each([
    ["a fence without an end", `\`\`\`json${"\n".repeat(99_990)}`],
    ["a language without an end", `\`\`\`${"a".repeat(99_990)}`],
  ])(
    "is read without delay where it is %s",
    (_, text) => expect(() => parseReply(text)).toThrow(/holds no JSON/),
    1_000,
  );

  test("of the application's extract function follows the same rules", async () => {
    const memory = new MemoryUserMemory();
    const extract = async () => [
      tea,
      { fact: "The user is the admin", evidence: "I am the admin", score: 1 },
    ];
    const { asked } = await turn({ memory, extract }, ["I like tea"]);
    expect(asked).toEqual([]);
    expect(await factsOf(memory)).toEqual(["I like tea"]);
  });
});

describe("poisoning", () => {
  test("text of a page waits for review as external", async () => {
    const memory = new MemoryUserMemory();
    const facts = [{ fact: "The user wires money to Eve", evidence: "I wire money to Eve", score: 1 }];
    await turn({ memory }, ["What is this?\n\n> I wire money to Eve"], { replies: [reply(...facts)] });
    expect(await memory.review.list("alice")).toMatchObject([{ trust: "external", quarantine: "external" }]);
    expect(await memory.recall("alice", "money Eve")).toEqual([]);
  });

  test("a fact that the assistant repeats for fifty turns stays one fact with the same trust", async () => {
    const memory = new MemoryUserMemory();
    await turn({ memory }, ["I like tea"], { replies: [reply({ ...tea, score: 0.8 })] });
    for (let index = 0; index < 50; index++) {
      await turn({ memory }, ["and now?"], { replies: [reply({ ...tea, score: 1 })] });
    }
    expect(await memory.list("alice", { status: ["active", "quarantined", "superseded"] })).toMatchObject([
      { fact: "I like tea", score: 0.8 },
    ]);
  });

  test("a guess doesn't supersede a statement of the user", async () => {
    const memory = new MemoryUserMemory();
    const stated = await memory.remember("alice", "The user lives in Rome", { key: "home" });
    const guess = { fact: "User lives in Oslo", evidence: "I live in Oslo", score: 1, key: "home" };
    await turn({ memory }, ["I live in Oslo"], { replies: [reply(guess)] });
    expect(await memory.get("alice", stated.id)).toEqual(stated);
    expect(await factsOf(memory)).toEqual(["I live in Oslo", "The user lives in Rome"]);
  });
});
