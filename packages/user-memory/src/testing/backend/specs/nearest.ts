import { expect } from "vitest";
import type { UserMemoryBackend } from "../../../backend.ts";
import { seqs } from "../expectations.ts";
import { addTo, commitTo, storedFact, userKey } from "../facts.ts";
import type { BackendCheck, BackendSpec } from "../spec.ts";

const user = userKey("u");

type Nearest = NonNullable<UserMemoryBackend["nearest"]>;

/** Returns a rule for backends that store vectors. All other backends pass the rule. */
const withVectors =
  (check: (backend: UserMemoryBackend, nearest: Nearest) => Promise<void>): BackendCheck =>
  async ({ backend }) => {
    if (backend.nearest !== undefined) await check(backend, backend.nearest);
  };

const at = (degrees: number): readonly number[] => [
  Math.cos((degrees * Math.PI) / 180),
  Math.sin((degrees * Math.PI) / 180),
];

export const nearest: BackendSpec = {
  subject: "nearest",
  rules: {
    "returns facts by cosine similarity, best first, for vectors of any length": withVectors(
      async (backend, near) => {
        const angles = [170, 20, 90, 0, 45];
        const facts = angles.map((angle, index) =>
          storedFact(index + 1, { vector: at(angle).map((x) => x * 10 ** (index - 2)) }),
        );
        await addTo(backend, user, ...facts, storedFact(6));
        const found = await near(user, at(0), 10);
        expect(seqs(found)).toEqual([4, 2, 5, 3, 1]);
        for (const { seq, similarity } of found) {
          const angle = angles[seq - 1] ?? 0;
          expect(similarity).toBeCloseTo(Math.cos((angle * Math.PI) / 180), 5);
        }
        expect(seqs(await near(user, at(0), 2))).toEqual([4, 2]);
      },
    ),

    "skips vectors of another dimension": withVectors(async (backend, near) => {
      await addTo(backend, user, storedFact(1, { vector: [1, 0, 0] }), storedFact(2, { vector: [1, 0] }));
      expect(seqs(await near(user, [1, 0], 10))).toEqual([2]);
      expect(seqs(await near(user, [1, 0, 0], 10))).toEqual([1]);
      expect(seqs(await near(user, [1, 0, 0, 0], 10))).toEqual([]);
    }),

    "returns valid numbers, also with zero vectors": withVectors(async (backend, near) => {
      await addTo(backend, user, storedFact(1, { vector: [0, 0] }), storedFact(2, { vector: [1, 1] }));
      for (const vector of [
        [1, 1],
        [0, 0],
      ]) {
        const found = await near(user, vector, 10);
        expect(found.filter(({ similarity }) => !Number.isFinite(similarity))).toEqual([]);
        if (vector[0] === 1) expect(found[0]?.seq).toBe(2);
      }
    }),

    "reflects changes and deletions, and finds no facts of other users": withVectors(
      async (backend, near) => {
        const [first, second] = [storedFact(1, { vector: [1, 0] }), storedFact(2, { vector: [0, 1] })];
        await addTo(backend, user, first, second);
        await addTo(backend, userKey("other"), storedFact(3, { vector: [1, 0] }));
        await commitTo(backend, user, { put: [{ before: first, after: { ...first, vector: [-1, 0] } }] });
        expect(seqs(await near(user, [1, 0], 10))).toEqual([2, 1]);
        await commitTo(backend, user, { drop: [second] });
        expect(seqs(await near(user, [1, 0], 10))).toEqual([1]);
        expect(seqs(await near(userKey("none"), [1, 0], 10))).toEqual([]);
      },
    ),

    "finds the nearest of many facts": withVectors(async (backend, near) => {
      const angles = Array.from({ length: 300 }, (_, index) => 10 + ((index * 37) % 300));
      await addTo(
        backend,
        user,
        ...angles.map((angle, index) => storedFact(index + 1, { vector: at(angle) })),
      );
      const best = angles
        .map((angle, index) => ({ seq: index + 1, similarity: Math.cos((angle * Math.PI) / 180) }))
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, 5);
      const found = await near(user, at(0), 5);
      expect(found.map(({ similarity }) => similarity)).toEqual(
        best.map(({ similarity }) => expect.closeTo(similarity, 5)),
      );
    }),
  },
};
