import { expect } from "vitest";
import { matched, plainMatches } from "../expectations.ts";
import { addTo, commitTo, storedFact, storedFacts, userKey } from "../facts.ts";
import type { BackendSpec } from "../spec.ts";

const user = userKey("u");
const weights = (record: Readonly<Record<string, number>>) =>
  Object.entries(record).map(([term, weight]) => ({ term, weight }));

export const match: BackendSpec = {
  subject: "match",
  rules: {
    "returns every fact with any of the terms, with these terms and its context": async ({ backend }) => {
      const context = { conversationId: "c", position: 4, author: "Ann", saidAt: 1_600_000_000_000 };
      await addTo(
        backend,
        user,
        storedFact(1, { ...context, terms: weights({ a: 1, b: 2, c: 3 }) }),
        storedFact(2, { conversationId: "c", terms: weights({ b: 100_000 }) }),
        storedFact(3, { terms: weights({ d: 1 }) }),
      );
      expect(plainMatches(await backend.match(user, ["b", "c", "none"]))).toEqual({
        size: 3,
        documents: [
          {
            ...{
              seq: 1,
              location: { conversationId: "c", position: 4 },
              author: "Ann",
              saidAt: context.saidAt,
            },
            terms: weights({ b: 2, c: 3 }),
            length: 3,
          },
          { seq: 2, location: null, author: null, saidAt: null, terms: weights({ b: 100_000 }), length: 1 },
        ],
      });
    },

    "counts and finds only indexed facts": async ({ backend }) => {
      await addTo(
        backend,
        user,
        ...storedFacts(5),
        storedFact(6, { terms: [] }),
        storedFact(7, { status: "superseded", supersededAt: 1 }),
      );
      expect((await backend.match(user, ["fact"])).size).toBe(6);
      expect(await matched(backend, user, "fact")).toEqual([1, 2, 3, 4, 5, 7]);
      expect(await backend.match(user, ["none"])).toEqual({ size: 6, documents: [] });
    },

    "finds nothing without terms or for a user without facts": async ({ backend }) => {
      expect(await backend.match(user, ["fact"])).toEqual({ size: 0, documents: [] });
      await addTo(backend, user, ...storedFacts(3));
      expect((await backend.match(user, [])).documents).toEqual([]);
    },

    "returns a fact once for a repeated term": async ({ backend }) => {
      await addTo(backend, user, storedFact(1, { terms: weights({ a: 2 }) }));
      expect(plainMatches(await backend.match(user, ["a", "a"])).documents).toMatchObject([
        { seq: 1, terms: weights({ a: 2 }) },
      ]);
    },

    "is complete for a term of thousands of facts, also after many changes": async ({ backend }) => {
      const facts = storedFacts(2_000);
      for (let at = 0; at < facts.length; at += 250) await addTo(backend, user, ...facts.slice(at, at + 250));
      const even = facts.filter(({ seq }) => seq % 2 === 0).slice(0, 400);
      const changed = facts.filter(({ seq }) => seq % 2 === 1).slice(0, 200);
      await commitTo(backend, user, { drop: even.slice(0, 200) });
      await commitTo(backend, user, { drop: even.slice(200) });
      await commitTo(backend, user, {
        put: changed.map((before) => ({
          before,
          after: { ...before, terms: weights({ fact: 7, other: 1 }) },
        })),
      });
      const { size, documents } = plainMatches(await backend.match(user, ["fact"]));
      expect(size).toBe(1_600);
      expect(documents).toHaveLength(1_600);
      const gone = new Set(even.map(({ seq }) => seq));
      expect(documents.filter(({ seq }) => gone.has(seq))).toEqual([]);
      expect(documents.filter(({ terms }) => terms[0]?.weight === 7)).toHaveLength(200);
      expect(await matched(backend, user, "other")).toEqual(changed.map(({ seq }) => seq));
    },

    "accepts 100 terms": async ({ backend }) => {
      const names = Array.from({ length: 100 }, (_, index) => `term-${index}`);
      await addTo(
        backend,
        user,
        ...names.map((term, index) => storedFact(index + 1, { terms: weights({ [term]: 1 }) })),
      );
      expect(await matched(backend, user, ...names)).toHaveLength(100);
    },
  },
};
