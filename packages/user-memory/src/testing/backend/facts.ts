import { createHash } from "node:crypto";
import { expect } from "vitest";
import type {
  StoredAuditEntry,
  StoredFact,
  UserChange,
  UserHead,
  UserKey,
  UserMemoryBackend,
} from "../../backend.ts";

/** Returns a hash of 43 characters, like all hashes for backends. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

export const userKey = (userId: string): UserKey => ({ userId, hash: hashOf(userId) });

/** Returns a fact with the number `seq` for tests. The fact is active and has the index term `fact`. */
export function storedFact(seq: number, fields: Partial<StoredFact> = {}): StoredFact {
  const fact = fields.fact ?? `fact ${seq}`;
  return {
    seq,
    id: `id-${seq}`,
    fact,
    tags: [],
    score: null,
    trust: "stated",
    status: "active",
    quarantine: null,
    digest: hashOf(`digest ${seq}`),
    key: null,
    conversationId: null,
    position: null,
    messageId: null,
    author: null,
    extractor: null,
    evidence: null,
    saidAt: null,
    createdAt: 1_700_000_000_000 + seq,
    updatedAt: null,
    validFrom: 1_700_000_000_000 + seq,
    validUntil: null,
    supersededBy: null,
    supersededAt: null,
    conflictsWith: null,
    quotation: null,
    usedAt: null,
    terms: [{ term: "fact", weight: 1 }],
    vector: null,
    ...fields,
  };
}

/** Returns `count` facts for tests. Their `seq` numbers begin with `first`. */
export const storedFacts = (count: number, first = 1): readonly StoredFact[] =>
  Array.from({ length: count }, (_, index) => storedFact(first + index));

export const added = (facts: readonly StoredFact[]): UserChange["put"] =>
  facts.map((after) => ({ before: null, after }));

/** Returns a change of a user whose head is `head`. Fields that aren't in `parts` have default values. */
export function changeOn(head: UserHead | null, parts: Partial<UserChange> = {}): UserChange {
  const { version, epoch } = head ?? { version: 0, epoch: 0 };
  return {
    expectedVersion: version,
    head: { version: version + 1, epoch, state: `{"writes":${version + 1}}` },
    put: [],
    drop: [],
    tombstones: [],
    removedTombstones: [],
    audit: [],
    ...parts,
  };
}

export const headOf = async (backend: UserMemoryBackend, user: UserKey): Promise<UserHead | null> =>
  (await backend.read(user, {})).head;

/** Commits a change to the user's current head, in a test without concurrent writers. */
export async function commitTo(
  backend: UserMemoryBackend,
  user: UserKey,
  parts: Partial<UserChange>,
): Promise<UserHead> {
  const change = changeOn(await headOf(backend, user), parts);
  expect(await backend.commit(user, change), "the version was the one that was read").toBe(true);
  return change.head;
}

/** Adds facts to a user, in a test without concurrent writers. */
export const addTo = (
  backend: UserMemoryBackend,
  user: UserKey,
  ...facts: readonly StoredFact[]
): Promise<UserHead> => commitTo(backend, user, { put: added(facts) });

export const auditEntry = (seq: number, body = `{"seq":${seq}}`): StoredAuditEntry => ({ seq, body });
