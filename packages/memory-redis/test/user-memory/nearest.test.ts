import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { added, commitTo, storedFact, userKey } from "../support/facts.ts";
import { backendOn } from "../support/user-memory.ts";

let redis: ReturnType<typeof createClient>;

beforeAll(async () => {
  redis = createClient({ url: inject("redisUrl") });
  await redis.connect();
});
afterAll(() => redis.close());

const user = userKey("u");

/** A direction of a topic, the same for the same numbers. */
const direction = (topic: number, variant: number, length: number): readonly number[] =>
  Array.from(
    { length },
    (_, at) => Math.sin((topic + 1) * (at + 1) * 12.9898) + 0.6 * Math.sin((variant + 7) * (at + 3) * 78.233),
  );

const cosine = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b));

describe("more vectors than are compared exactly", () => {
  it.each([700, 1_536])("include the nearest ones, with %i numbers each", async (length) => {
    const backend = backendOn(redis);
    const facts = Array.from({ length: Math.ceil((512 * 1_024) / length) + 300 }, (_, at) =>
      storedFact(at + 1, { terms: [], vector: direction(at % 40, at, length) }),
    );
    for (let from = 0; from < facts.length; from += 250) {
      await commitTo(backend, user, added(...facts.slice(from, from + 250)));
    }
    for (const topic of [0, 13, 39]) {
      const query = direction(topic, 10_000, length);
      const found = (await backend.nearest?.(user, query, 10)) ?? [];
      const best = facts
        .map(({ seq, vector }) => ({ seq, similarity: cosine(query, vector ?? []) }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, 10);
      const missed = best.filter(({ seq }) => found.every((near) => near.seq !== seq));
      expect(missed.length).toBeLessThanOrEqual(1);
      for (const { seq, similarity } of found) {
        expect(similarity).toBeCloseTo(cosine(query, facts[seq - 1]?.vector ?? []), 5);
      }
    }
  });
});

describe("a vector", () => {
  it("is returned as it was stored, with 32 bits per number", async () => {
    const backend = backendOn(redis);
    const vector = [0.1, -0.5, 3e-30, 1e30, 0, 123_456.789];
    await commitTo(backend, user, added(storedFact(1, { vector })));
    const [fact] = (await backend.read(user, { seqs: [1] })).facts;
    expect(fact?.vector).toEqual(vector.map(Math.fround));
  });

  it("is removed with its fact, or by a change without it", async () => {
    const backend = backendOn(redis);
    const before = storedFact(1, { vector: [1, 2] });
    await commitTo(backend, user, added(before, storedFact(2, { vector: [2, 1] })));
    await commitTo(backend, user, { put: [{ before, after: { ...before, vector: null } }] });
    expect(await backend.nearest?.(user, [1, 2], 9)).toMatchObject([{ seq: 2 }]);
    expect(await backend.erase(user, { state: "", audit: [] })).toMatchObject({ facts: 2, vectors: 1 });
    expect(await backend.nearest?.(user, [1, 2], 9)).toEqual([]);
  });
});
