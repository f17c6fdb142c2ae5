import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../data/${name}`, import.meta.url), "utf8")) as T;

interface FollowUps {
  readonly conversations: readonly { readonly id: string; readonly said: readonly string[] }[];
  readonly followUps: readonly {
    readonly before: readonly string[];
    readonly asked: string;
    /** A part of the fact that answers it. */
    readonly wanted: string;
  }[];
}

interface Topic {
  readonly question: string;
  /** The day of each statement and its text. The last one is true. */
  readonly statements: readonly (readonly [string, string])[];
}

describe("follow-ups", () => {
  const { conversations, followUps } = read<FollowUps>("follow-ups.json");

  async function foundAmongFive(usesContext: boolean, relevantOnly = false): Promise<number> {
    const memory = new MemoryUserMemory();
    for (const { id: conversationId, said } of conversations)
      for (const [index, text] of said.entries())
        await memory.remember("ada", text, {
          provenance: { conversationId, position: 2 * index },
          quotation: { from: "message" },
        });
    let found = 0;
    for (const { before, asked, wanted } of followUps) {
      const context = usesContext ? before : [];
      const facts = await memory.recall("ada", asked, { limit: 5, context, relevantOnly });
      if (facts.some(({ fact }) => fact.includes(wanted))) found++;
    }
    return found;
  }

  it("are found with the conversation before them: 20 of 20, and 10 without it", async () => {
    expect(await foundAmongFive(false)).toBe(10);
    expect(await foundAmongFive(true)).toBe(20);
  });

  it("also fit unasked with the message before them: 12 of 20, and 6 without it", async () => {
    expect(await foundAmongFive(false, true)).toBe(6);
    expect(await foundAmongFive(true, true)).toBe(12);
  });
});

describe("statements that replace each other without a key", () => {
  const topics = read<readonly Topic[]>("later-statements.json");

  it("are recalled with the latest first, for 12 of 12 topics", async () => {
    const memory = new MemoryUserMemory();
    for (const { statements } of topics)
      for (const [day, text] of statements)
        await memory.remember("ada", text, {
          provenance: { saidAt: new Date(day) },
          quotation: { from: "message" },
        });
    const first = await Promise.all(
      topics.map(({ question }) => memory.recall("ada", question, { limit: 1 })),
    );
    expect(first.map(([fact]) => fact?.fact)).toEqual(topics.map(({ statements }) => statements.at(-1)?.[1]));
  });
});
