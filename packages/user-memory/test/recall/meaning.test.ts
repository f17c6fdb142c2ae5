import { describe, expect, test } from "vitest";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";
import { spec, turn } from "../support/live-turn.ts";

test("one long message with similar meaning leaves room for other facts of similar meaning", async () => {
  const embed = async (texts: readonly string[]) =>
    texts.map((text) =>
      /garden/.test(text) ? [1, 0.1] : /boat/.test(text) ? [1, 0.5] : /train/.test(text) ? [0.1, 1] : [1, 0],
    );
  const memory = new MemoryUserMemory({ embed });
  const declared = { ...spec, extract: "verbatim" } as const;
  await turn({ memory }, ["My uncle sold his boat."], { declared, conversationId: "a", position: 0 });
  await turn({ memory }, ["I came by train."], { declared, conversationId: "c", position: 0 });
  const row = (at: number) => `Row ${at} of the garden has plant${at} in it and nothing else that matters.`;
  const long = Array.from({ length: 270 }, (_, at) => `- ${row(at)}`).join("\n\n");
  await turn({ memory }, [long], { declared, conversationId: "b", position: 0 });
  const kept = await memory.list("alice", { limit: 1_000 });
  const found = await memory.recall("alice", "qqq", { limit: 200 });
  expect(kept.length).toBeGreaterThan(30);
  expect(found.map(({ fact }) => fact)).toContain("My uncle sold his boat.");
});

describe("with relevantOnly", () => {
  // Facts about things have similar vectors; one fact has the meaning of the query.
  const embed = async (texts: readonly string[]) =>
    texts.map((text) => (/peanut|snack/.test(text) ? [1, 0.1] : [0.3 + (text.length % 5) / 50, 1]));
  async function memoryOf(facts: readonly string[]) {
    const memory = new MemoryUserMemory({ embed });
    for (const fact of facts) await memory.remember("alice", fact);
    return memory;
  }
  const things = Array.from({ length: 30 }, (_, index) => `Owns ${"thing".padEnd(5 + index, "g")}.`);
  const relevantOnly = true;

  test("a fact is found whose similarity stands out", async () => {
    const memory = await memoryOf([...things, "Is allergic to peanuts."]);
    const found = await memory.recall("alice", "Which snack is best?", { relevantOnly, limit: 1 });
    expect(found).toMatchObject([{ fact: "Is allergic to peanuts." }]);
  });

  test("nothing is found if all similarities are alike", async () => {
    const memory = await memoryOf(things);
    expect(await memory.recall("alice", "Which snack is best?", { relevantOnly })).toEqual([]);
    expect(await memory.recall("alice", "Which snack is best?")).not.toEqual([]);
  });
});
