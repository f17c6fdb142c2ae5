import { describe, expect, test } from "vitest";
import type { UserMemory } from "../../src/user-memory.ts";
import { reply, tea, turn } from "./live-turn.ts";

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

  test("gets the user's words as they are, what follows from them tagged, and nothing else", async () => {
    const { memory, calls } = narrow();
    const facts = [
      tea,
      { fact: "The user is called Anna", evidence: "My name is Anna", score: 0.8 },
      { fact: "The user likes coffee", evidence: "I like tea", score: 1 },
    ];
    await turn({ memory }, ["I like tea. My name is Anna."], { replies: [reply(...facts)] });
    expect(calls).toEqual([
      { userId: "alice", fact: "The user likes tea", opts: { score: 0.9 } },
      { userId: "alice", fact: "The user is called Anna", opts: { score: 0.8, tags: ["inferred"] } },
    ]);
  });

  test("has one attempt a turn, and its failures are told", async () => {
    const { memory } = narrow();
    const errors: unknown[] = [];
    const failing = { ...memory, remember: () => Promise.reject(new Error("down")) };
    const onError = (error: unknown) => errors.push(error);
    await turn({ memory: failing, onError }, ["I like tea"], { replies: [reply(tea)] });
    await turn({ memory, onError }, ["I like tea"], { replies: [new Error("no")] });
    expect(errors).toMatchObject([{ message: "down" }, { code: "given-up" }]);
  });
});
