import type { StoredFact, Tombstone, UserChange, UserHead } from "../../../backend.ts";
import { below, pick, type Random, some } from "../../random.ts";
import { STATUSES } from "../expectations.ts";
import { auditEntry, changeOn, hashOf, storedFact } from "../facts.ts";

export const NAMES = ["a", "A", "a:b", "__proto__", "*", "{}", "ü", ""] as const;
export const TERMS = ["tea", "coffee", "@2024", "*", "__proto__", "ü"] as const;
const TRUSTS = ["stated", "confirmed", "inferred", "external"] as const;

export const randomDigest = (random: Random): string => hashOf(`${below(random, 8)}`);

export const randomVector = (random: Random): readonly number[] =>
  Array.from({ length: 4 }, () => (below(random, 64) - 32) / 16 + 1 / 64);

const maybe = <T>(random: Random, value: () => T): T | null => (random() < 0.5 ? value() : null);

function randomFact(random: Random, seq: number): StoredFact {
  const status = pick(random, STATUSES);
  const waits = status === "quarantined";
  const name = () => pick(random, NAMES);
  return storedFact(seq, {
    ...{
      id: `${pick(random, NAMES)}-${seq}`,
      fact: `${name()} ${name()} ${seq}`,
      digest: randomDigest(random),
    },
    ...{
      status,
      trust: pick(random, TRUSTS),
      quarantine: waits ? "rate" : null,
      score: maybe(random, random),
    },
    ...{ key: maybe(random, name), conversationId: maybe(random, name), author: maybe(random, name) },
    ...{ position: maybe(random, () => below(random, 3)), saidAt: maybe(random, () => below(random, 1e12)) },
    ...{ tags: some(random, NAMES, 0.3), supersededBy: maybe(random, name), evidence: maybe(random, name) },
    terms: waits ? [] : some(random, TERMS).map((term) => ({ term, weight: 1 + below(random, 9) })),
    vector: waits ? null : maybe(random, () => randomVector(random)),
  });
}

const randomTombstone = (random: Random): Tombstone => ({
  digest: randomDigest(random),
  at: below(random, 1e9),
});

/** Returns a random write for a user. */
export function randomChange(
  random: Random,
  now: { readonly head: UserHead | null; readonly facts: readonly StoredFact[] },
): UserChange {
  // One in eight writes expects a version that the user's head doesn't have, so the backend must refuse it.
  const changed = some(random, now.facts, 0.1);
  const drop = some(random, now.facts, 0.05).filter((fact) => !changed.includes(fact));
  const version = now.head?.version ?? 0;
  const fresh = Array.from({ length: below(random, 4) }, (_, index) =>
    randomFact(random, version * 4 + index + 1),
  );
  const tombstones = random() < 0.4 ? [randomTombstone(random)] : [];
  const added = new Set(tombstones.map(({ digest }) => digest));
  const change = changeOn(now.head, {
    put: [
      ...changed.map((before) => {
        const { id, createdAt } = before;
        return { before, after: { ...randomFact(random, before.seq), id, createdAt, updatedAt: version } };
      }),
      ...fresh.map((after) => ({ before: null, after })),
    ],
    ...{ drop, tombstones },
    removedTombstones: random() < 0.3 ? [randomDigest(random)].filter((digest) => !added.has(digest)) : [],
    audit: [auditEntry(version + 1)],
  });
  return random() < 0.125 ? { ...change, expectedVersion: version + 1 } : change;
}
