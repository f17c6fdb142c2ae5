import { expect } from "vitest";
import { plainSnapshot, selected } from "../expectations.ts";
import { added, addTo, commitTo, hashOf, storedFact, storedFacts, userKey } from "../facts.ts";
import type { BackendSpec } from "../spec.ts";

const user = userKey("u");

export const read: BackendSpec = {
  subject: "read",
  rules: {
    "finds nothing for an unknown user": async ({ backend }) => {
      const selection = {
        seqs: [1],
        ids: ["x"],
        digests: [hashOf("x")],
        keys: ["x"],
        tombstones: [hashOf("x")],
      };
      expect(await backend.read(user, selection)).toEqual({ head: null, facts: [], tombstones: [] });
    },

    "selects nothing with no selection or an empty one": async ({ backend }) => {
      const head = await addTo(backend, user, ...storedFacts(3));
      const nothing = { head, facts: [], tombstones: [] };
      expect(await backend.read(user, {})).toEqual(nothing);
      expect(
        await backend.read(user, {
          ...{
            seqs: [],
            ids: [],
            digests: [],
            keys: [],
            currentKeys: [],
            locations: [],
            supersededBy: [],
            tombstones: [],
          },
        }),
      ).toEqual(nothing);
    },

    "selects by each field, for any status": async ({ backend }) => {
      await addTo(
        backend,
        user,
        storedFact(1, { id: "one" }),
        storedFact(2, { digest: hashOf("two"), status: "quarantined", quarantine: "link", terms: [] }),
        storedFact(3, { key: "three", status: "superseded", supersededBy: "one", supersededAt: 7 }),
        storedFact(4, { conversationId: "c", position: 0 }),
        storedFact(5, { conversationId: "c", position: 1 }),
      );
      const expected: readonly (readonly [Parameters<typeof selected>[2], readonly number[]])[] = [
        [{ seqs: [2, 99] }, [2]],
        [{ ids: ["one", "none"] }, [1]],
        [{ digests: [hashOf("two")] }, [2]],
        [{ keys: ["three"] }, [3]],
        [{ locations: [{ conversationId: "c", position: 0 }] }, [4]],
        [
          {
            locations: [
              { conversationId: "c", position: 1 },
              { conversationId: "d", position: 0 },
            ],
          },
          [5],
        ],
        [{ supersededBy: ["one"] }, [3]],
      ];
      for (const [selection, seqs] of expected) {
        expect(await selected(backend, user, selection), JSON.stringify(selection)).toEqual(seqs);
      }
    },

    "returns each selected fact once, in the order of seq": async ({ backend }) => {
      const fact = (seq: number) => storedFact(seq, { key: "same", digest: hashOf("same") });
      for (const seq of [1, 2, 10, 11, 100]) await addTo(backend, user, fact(seq));
      const selection = {
        seqs: [100, 2, 2, 10],
        ids: ["id-11", "id-2"],
        keys: ["same"],
        digests: [hashOf("same")],
      };
      expect(await selected(backend, user, selection)).toEqual([1, 2, 10, 11, 100]);
      expect(await selected(backend, user, { seqs: [100, 10, 2] })).toEqual([2, 10, 100]);
    },

    "distinguishes the current facts of a key from its history": async ({ backend }) => {
      const first = storedFact(1, { key: "k" });
      const waiting = storedFact(3, { key: "k", status: "quarantined", terms: [], vector: null });
      await addTo(backend, user, first, storedFact(2, { key: "other" }), waiting);
      expect(await selected(backend, user, { currentKeys: ["k"] })).toEqual([1]);
      const past = { ...first, status: "superseded", supersededBy: "id-4", supersededAt: 9 } as const;
      await commitTo(backend, user, {
        put: [{ before: first, after: past }, ...added([storedFact(4, { key: "k" })])],
      });
      expect(await selected(backend, user, { currentKeys: ["k"] })).toEqual([4]);
      expect(await selected(backend, user, { keys: ["k"] })).toEqual([1, 3, 4]);
      await commitTo(backend, user, {
        drop: [storedFact(4, { key: "k" })],
        put: [{ before: past, after: first }],
      });
      expect(await selected(backend, user, { currentKeys: ["k", "other"] })).toEqual([1, 2]);
    },

    "keeps the fields of a selection separate": async ({ backend }) => {
      await addTo(
        backend,
        user,
        storedFact(1, { id: "x", key: "key:y", conversationId: "z", position: 7 }),
        storedFact(2, { id: "id:x", key: "x", conversationId: "7:z", position: 0 }),
        storedFact(3, { id: "7", key: "1", conversationId: "x", position: 1, supersededBy: "y" }),
      );
      expect(await selected(backend, user, { ids: ["x"] })).toEqual([1]);
      expect(await selected(backend, user, { keys: ["x"] })).toEqual([2]);
      expect(await selected(backend, user, { keys: ["y"] })).toEqual([]);
      expect(await selected(backend, user, { supersededBy: ["x"] })).toEqual([]);
      expect(await selected(backend, user, { seqs: [7] })).toEqual([]);
      expect(await selected(backend, user, { locations: [{ conversationId: "z", position: 7 }] })).toEqual([
        1,
      ]);
      expect(await selected(backend, user, { locations: [{ conversationId: "7:z", position: 0 }] })).toEqual([
        2,
      ]);
    },

    "selects a thousand facts and tombstones in one call": async ({ backend }) => {
      for (let first = 1; first <= 1_000; first += 100)
        await addTo(backend, user, ...storedFacts(100, first));
      const tombstones = Array.from({ length: 50 }, (_, at) => ({ digest: hashOf(`t${at}`), at }));
      const head = await commitTo(backend, user, { tombstones });
      const facts = storedFacts(1_000);
      const asked = { seqs: facts.map(({ seq }) => seq), tombstones: tombstones.map(({ digest }) => digest) };
      const snapshot = await backend.read(user, {
        ...asked,
        tombstones: [...asked.tombstones, hashOf("none")],
      });
      expect(plainSnapshot(backend, snapshot)).toEqual(plainSnapshot(backend, { head, facts, tombstones }));
    },

    "returns head, facts and tombstones of one version while others write": async (scenario) => {
      const { backend } = scenario;
      const reader = await scenario.another();
      const digest = hashOf("t");
      let writing = true;
      const write = async (): Promise<void> => {
        for (let version = 1; version <= 40; version++) {
          const before = version === 1 ? null : storedFact(1, { createdAt: version - 1 });
          const after = storedFact(1, { createdAt: version });
          await commitTo(backend, user, { put: [{ before, after }], tombstones: [{ digest, at: version }] });
        }
      };
      const look = async (): Promise<void> => {
        while (writing) {
          const { head, facts, tombstones } = await reader.read(user, { seqs: [1], tombstones: [digest] });
          const version = head?.version ?? 0;
          expect(facts.map(({ createdAt }) => createdAt)).toEqual(version === 0 ? [] : [version]);
          expect(tombstones).toEqual(version === 0 ? [] : [{ digest, at: version }]);
          // Lets the writer continue if the store answers synchronously.
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const written = write().finally(() => {
        writing = false;
      });
      await Promise.all([written, look(), look()]);
    },

    "finds a fact by a value that several facts have had": async ({ backend }) => {
      const old = storedFact(1, { key: "city", status: "superseded", supersededBy: "id-2", supersededAt: 3 });
      await commitTo(backend, user, { put: added([old, storedFact(2, { key: "city" })]) });
      expect(await selected(backend, user, { keys: ["city"] })).toEqual([1, 2]);
      await commitTo(backend, user, { drop: [storedFact(2, { key: "city" })] });
      expect(await selected(backend, user, { keys: ["city"] })).toEqual([1]);
    },
  },
};
