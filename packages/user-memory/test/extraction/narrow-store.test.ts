import { describe, expect, test } from "vitest";
import type { UserMemory } from "../../src/user-memory.ts";
import { reply, tea, turn } from "../support/live-turn.ts";

describe("a store without trust and queue", () => {
  const narrow = () => {
    const calls: unknown[] = [];
    const memory: UserMemory = {
      remember: async (userId, fact, opts) => {
        calls.push({ userId, fact, opts });
        return { id: "1", userId, fact, createdAt: new Date() };
      },
      recall: async () => [],
      forget: async () => undefined,
      list: async () => [],
    };
    return { memory, calls };
  };

  test("gets only formatted quotations and verified facts with a tag", async () => {
    const { memory, calls } = narrow();
    const facts = [
      tea,
      { fact: "The user's bank is Acme", evidence: "my bank is Acme", score: 1 },
      { fact: "The user likes coffee", evidence: "I like coffee", score: 1 },
    ];
    const startedAt = Date.parse("2026-11-02T08:00:00Z");
    const said = ["I like tea\n\n> my bank is Acme"];
    await turn({ memory }, said, { replies: [reply(...facts)], startedAt });
    await turn({ memory, verify: () => true }, said, { replies: [reply(...facts)], startedAt });
    expect(calls).toEqual([
      {
        userId: "alice",
        fact: 'In a text that the user sent on 2026-11-02: "I like tea"',
        opts: { score: 0.9 },
      },
      { userId: "alice", fact: "The user likes tea", opts: { score: 0.9, tags: ["inferred"] } },
    ]);
  });

  test("has one attempt per job, and failures are reported", async () => {
    const { memory } = narrow();
    const errors: unknown[] = [];
    const failing = { ...memory, remember: () => Promise.reject(new Error("down")) };
    const onError = (error: unknown) => errors.push(error);
    await turn({ memory: failing, onError }, ["I like tea"], { replies: [reply(tea)] });
    await turn({ memory, onError }, ["I like tea"], { replies: [new Error("no")] });
    expect(errors).toMatchObject([{ message: "down" }, { code: "given-up" }]);
  });
});
