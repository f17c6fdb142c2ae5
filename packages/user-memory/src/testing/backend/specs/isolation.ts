import { expect } from "vitest";
import type { UserKey } from "../../../backend.ts";
import { hostileNames } from "../../hostile-names.ts";
import { allFacts, matched, plainSnapshot, selected, seqs } from "../expectations.ts";
import { addTo, auditEntry, commitTo, hashOf, headOf, storedFact, storedFacts, userKey } from "../facts.ts";
import type { BackendSpec } from "../spec.ts";

/** Users whose hashes differ only in one character, or only in the case of one character. */
// `_` has a special meaning in queries of SQL.
const neighbours: readonly UserKey[] = ["A", "a", "B", "b", "-", "_", "0"].flatMap((character) => [
  { userId: `first ${character}`, hash: `${character}${"A".repeat(42)}` },
  { userId: `middle ${character}`, hash: `Q${"A".repeat(20)}${character}${"A".repeat(21)}` },
]);

const wholeOf = (fact: ReturnType<typeof storedFact>) => ({
  ...{
    seqs: [fact.seq],
    ids: [fact.id],
    digests: [fact.digest],
    keys: ["k"],
    currentKeys: ["k"],
    supersededBy: ["s"],
  },
  locations: [{ conversationId: "c", position: 1 }],
});

export const isolation: BackendSpec = {
  subject: "users",
  rules: {
    "with the same facts, ids, names and tombstones are isolated": async ({ backend }) => {
      const [ann, bob, eve] = [userKey("ann"), userKey("bob"), userKey("eve")];
      const fields = { key: "k", conversationId: "c", position: 1, supersededBy: "s", vector: [1, 0] };
      const hers = storedFact(1, { ...fields, fact: "ann's" });
      const his = storedFact(1, { ...fields, fact: "bob's" });
      const digest = hashOf("forgotten");
      await commitTo(backend, ann, { put: [{ before: null, after: hers }], audit: [auditEntry(1, "ann")] });
      await commitTo(backend, bob, { put: [{ before: null, after: his }], tombstones: [{ digest, at: 1 }] });
      for (const [user, facts] of [
        [ann, [hers]],
        [bob, [his]],
        [eve, []],
      ] as const) {
        const snapshot = await backend.read(user, { ...wholeOf(hers), tombstones: [digest] });
        expect(plainSnapshot(backend, snapshot)).toEqual(
          plainSnapshot(backend, {
            ...{ head: snapshot.head, facts },
            tombstones: user === bob ? [{ digest, at: 1 }] : [],
          }),
        );
        expect((await allFacts(backend, user)).map(({ fact }) => fact)).toEqual(
          facts.map(({ fact }) => fact),
        );
        expect((await backend.match(user, ["fact"])).size).toBe(facts.length);
        const near = (await backend.nearest?.(user, [1, 0], 10)) ?? facts;
        expect(near).toHaveLength(facts.length);
        expect((await backend.audit(user)).entries).toEqual(user === ann ? [auditEntry(1, "ann")] : []);
      }
    },

    "don't affect each other by a change, a deletion or an erasure": async ({ backend }) => {
      const [ann, bob] = [userKey("ann"), userKey("bob")];
      const facts = storedFacts(5);
      const job = (user: UserKey) => ({ user, id: hashOf("turn"), body: user.userId });
      const leased = { epoch: 0, leaseMs: 0 };
      for (const user of [ann, bob]) {
        await addTo(backend, user, ...facts);
        await backend.jobs.enqueue(job(user), leased);
      }
      const kept = await headOf(backend, bob);
      const [first, second, ...rest] = facts;
      if (first === undefined || second === undefined) return expect.fail("expected facts");
      await commitTo(backend, ann, {
        put: [
          { before: first, after: { ...first, fact: "changed", terms: [{ term: "changed", weight: 1 }] } },
        ],
        drop: [second],
      });
      expect(seqs(await allFacts(backend, ann))).toEqual(seqs([first, ...rest]).toReversed());
      await backend.erase(ann, { state: "", audit: [] });
      expect((await allFacts(backend, bob)).map(({ fact }) => fact)).toEqual(
        facts.map(({ fact }) => fact).toReversed(),
      );
      expect(await headOf(backend, bob)).toEqual(kept);
      expect(await matched(backend, bob, "fact")).toEqual(seqs(facts));
      expect(await matched(backend, bob, "changed")).toEqual([]);
      expect(await backend.jobs.lease({ leaseMs: 0, limit: 9 })).toEqual([{ ...job(bob), attempts: 2 }]);
    },

    "are distinguished by a single character of their hash": async ({ backend }) => {
      for (const user of neighbours)
        await addTo(backend, user, storedFact(1, { id: user.userId, fact: user.userId }));
      for (const user of neighbours) {
        expect((await allFacts(backend, user)).map(({ fact }) => fact)).toEqual([user.userId]);
        const ids = neighbours.map(({ userId }) => userId);
        const { facts, head } = await backend.read(user, { ids });
        expect(facts.map(({ fact }) => fact)).toEqual([user.userId]);
        expect(head?.version).toBe(1);
      }
      for (const [index, user] of neighbours.entries()) {
        expect((await backend.erase(user, { state: "", audit: [] })).facts).toBe(1);
        const left = await Promise.all(neighbours.map((each) => selected(backend, each, { seqs: [1] })));
        expect(left.flat()).toHaveLength(neighbours.length - index - 1);
      }
    },

    "can have any id": async ({ backend }) => {
      const users = hostileNames.map(userKey);
      for (const user of users) {
        await addTo(backend, user, storedFact(1, { fact: user.userId }));
        await backend.jobs.enqueue({ user, id: hashOf("turn"), body: user.userId }, { epoch: 0, leaseMs: 0 });
      }
      for (const user of users) {
        expect((await allFacts(backend, user)).map(({ fact }) => fact)).toEqual([user.userId]);
      }
      const leased = await backend.jobs.lease({ leaseMs: 0, limit: 1_000 });
      expect(new Set(leased.map(({ user }) => user.userId))).toEqual(new Set(hostileNames));
      for (const { user, body } of leased) expect(user).toEqual(userKey(body));
      for (const user of users) {
        expect(await backend.erase(user, { state: "", audit: [] })).toEqual({
          facts: 1,
          vectors: 0,
          jobs: 1,
        });
      }
      expect(await backend.jobs.size()).toBe(0);
    },
  },
};
