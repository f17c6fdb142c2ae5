import { expect } from "vitest";
import type { FactStatus } from "../../../fact.ts";
import { plainFacts, STATUSES, seqs } from "../expectations.ts";
import { addTo, commitTo, storedFact, storedFacts, userKey } from "../facts.ts";
import type { BackendSpec } from "../spec.ts";

const user = userKey("u");

export const list: BackendSpec = {
  subject: "list",
  rules: {
    "returns complete facts with the given statuses, newest first": async ({ backend }) => {
      const facts = Array.from({ length: 12 }, (_, index) =>
        storedFact(index + 1, { status: STATUSES[index % 3] ?? "active" }),
      );
      await addTo(backend, user, ...facts);
      const all = await backend.list(user, { statuses: STATUSES, limit: 100 });
      expect(plainFacts(backend, all)).toEqual(plainFacts(backend, facts.toReversed()));
      const some = async (...statuses: readonly FactStatus[]) =>
        seqs(await backend.list(user, { statuses, limit: 100 }));
      expect(await some("active")).toEqual([10, 7, 4, 1]);
      expect(await some("superseded", "quarantined")).toEqual([12, 11, 9, 8, 6, 5, 3, 2]);
      expect(await some()).toEqual([]);
    },

    "returns each fact once over all pages": async ({ backend }) => {
      await addTo(backend, user, ...storedFacts(105));
      const found: number[] = [];
      for (let before: number | undefined; found.length < 200; before = found.at(-1)) {
        const page = seqs(await backend.list(user, { statuses: ["active"], before, limit: 10 }));
        if (page.length === 0) break;
        expect(page.length).toBe(found.length < 100 ? 10 : 5);
        found.push(...page);
      }
      expect(found).toEqual(seqs(storedFacts(105)).toReversed());
    },

    "applies the limit to facts with the given statuses": async ({ backend }) => {
      const facts = storedFacts(60).map((fact, index) => ({
        ...fact,
        status: index === 0 || index === 59 ? ("active" as const) : ("superseded" as const),
      }));
      await addTo(backend, user, ...facts);
      expect(seqs(await backend.list(user, { statuses: ["active"], limit: 2 }))).toEqual([60, 1]);
      expect(seqs(await backend.list(user, { statuses: ["active"], before: 60, limit: 1 }))).toEqual([1]);
      expect(seqs(await backend.list(user, { statuses: ["active"], before: 1, limit: 1 }))).toEqual([]);
    },

    "follows a change of status and a deletion": async ({ backend }) => {
      const [first, second] = [storedFact(1), storedFact(2)];
      await addTo(backend, user, first, second);
      await commitTo(backend, user, {
        put: [{ before: first, after: { ...first, status: "superseded" } }],
        drop: [second],
      });
      expect(await backend.list(user, { statuses: ["active"], limit: 9 })).toEqual([]);
      expect(seqs(await backend.list(user, { statuses: ["superseded"], limit: 9 }))).toEqual([1]);
    },
  },
};
