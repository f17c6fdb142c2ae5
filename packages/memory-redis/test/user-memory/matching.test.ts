import type { StoredFact, TermWeight } from "@jaf/user-memory/adapter";
import { createClient } from "redis";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { added, commitTo, storedFact, userKey } from "../support/facts.ts";
import { freshPrefix } from "../support/stores.ts";
import { backendOn } from "../support/user-memory.ts";

let redis: ReturnType<typeof createClient>;

beforeAll(async () => {
  redis = createClient({ url: inject("redisUrl") });
  await redis.connect();
});
afterAll(() => redis.close());

const user = userKey("u");
const names = ["common", "half", "rare", "12", "0", "=", "#0,1", "common:0", "%d+", "[1,", ";1:1"];

/** The same numbers for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomTerms(random: () => number): readonly TermWeight[] {
  const shares = [0.9, 0.5, 0.01, ...names.slice(3).map(() => 0.1)];
  return names
    .filter((_, at) => random() < (shares[at] ?? 0))
    .map((term) => ({ term, weight: 1 + Math.floor(random() * 9) }));
}

const randomFact = (seq: number, random: () => number): StoredFact =>
  storedFact(seq, {
    ...{ terms: randomTerms(random), author: random() < 0.5 ? null : '[7,"],[8,' },
    ...(random() < 0.5 ? {} : { conversationId: ",[9,;1:", position: seq }),
  });

const rows = (facts: Iterable<StoredFact>, asked: readonly string[]) =>
  [...facts]
    .map(({ seq, author, conversationId, position, terms }) => ({
      ...{ seq, author: author ?? undefined },
      location: conversationId === null || position === null ? undefined : { conversationId, position },
      terms: terms.filter(({ term }) => asked.includes(term)),
      length: new Set(terms.map(({ term }) => term)).size,
    }))
    .filter(({ terms }) => terms.length > 0)
    .sort((a, b) => a.seq - b.seq);

it.each([1, 2])("an index stays consistent through thousands of random changes (seed %i)", async (seed) => {
  const random = randomNumbers(seed);
  const keyPrefix = freshPrefix();
  const backend = backendOn(redis, keyPrefix);
  const facts = new Map<number, StoredFact>();
  const pick = (): StoredFact[] => [...facts.values()].filter(() => random() < 0.05);
  let seq = 0;
  const expectWhole = async (asked: readonly string[]) => {
    const { size, documents } = await backend.match(user, asked);
    const found = documents.map(({ saidAt: _, ...document }) => document).sort((a, b) => a.seq - b.seq);
    const inOrder = found.map((document) => ({
      ...document,
      terms: names.flatMap((name) => document.terms.filter(({ term }) => term === name)),
    }));
    expect(inOrder).toEqual(rows(facts.values(), asked));
    expect(size).toBe([...facts.values()].filter(({ terms }) => terms.length > 0).length);
  };
  for (let round = 0; round < 16; round++) {
    const fresh = Array.from({ length: 60 }, () => randomFact(++seq, random));
    const changed = pick().map((before) => ({ before, after: randomFact(before.seq, random) }));
    const dropped = pick().filter((fact) => changed.every(({ before }) => before.seq !== fact.seq));
    await commitTo(backend, user, { put: [...added(...fresh).put, ...changed], drop: dropped });
    for (const fact of [...fresh, ...changed.map(({ after }) => after)]) facts.set(fact.seq, fact);
    for (const fact of dropped) facts.delete(fact.seq);
    await expectWhole([names[round % names.length] ?? ""]);
  }
  await expectWhole(names);
  await expectWhole(["rare", "none"]);
  await commitTo(backend, user, { drop: [...facts.values()] });
  expect(await redis.keys(`${keyPrefix}*`)).toEqual([expect.stringMatching(/:head$/)]);
});

it("the fields of contexts and lookups stay small with any number of facts", async () => {
  const keyPrefix = freshPrefix();
  const backend = backendOn(redis, keyPrefix);
  for (let from = 0; from < 3_000; from += 500) {
    const facts = Array.from({ length: 500 }, (_, at) => storedFact(from + at + 1));
    await commitTo(backend, user, added(...facts));
  }
  const key = `${keyPrefix}user-memory:{${user.hash}}`;
  for (const part of ["contexts", "lookups"]) {
    const lengths = (await redis.hVals(`${key}:${part}`)).map(({ length }) => length);
    expect(Math.max(...lengths), part).toBeLessThan(2_100);
    expect(lengths.length, part).toBeGreaterThan(10);
  }
});

it("a change of an old fact keeps the places of the term's other facts", async () => {
  const backend = backendOn(redis);
  const counts = Array.from({ length: 40 }, (_, at) => 330 + at);
  const termsOf = (seq: number, weight?: number): readonly TermWeight[] =>
    counts
      .filter((count) => seq <= count)
      .map((count) => ({ term: `of ${count}`, weight: weight ?? (seq === count ? 1e12 : 1) }));
  const facts = Array.from({ length: 369 }, (_, at) => storedFact(at + 1, { terms: termsOf(at + 1) }));
  await commitTo(backend, user, added(...facts));
  const [before, gone] = [facts[4], facts[8]] as [StoredFact, StoredFact];
  const after = { ...before, terms: termsOf(5, 7) };
  await commitTo(backend, user, { put: [{ before, after }] });
  await commitTo(backend, user, { drop: [gone] });
  for (const count of counts) {
    const { documents } = await backend.match(user, [`of ${count}`]);
    expect(documents.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(
      facts.slice(0, count).flatMap(({ seq }) => (seq === 9 ? [] : [seq])),
    );
    expect(documents.find(({ seq }) => seq === 5)?.terms).toEqual([{ term: `of ${count}`, weight: 7 }]);
  }
});
