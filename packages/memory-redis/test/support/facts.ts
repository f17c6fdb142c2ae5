import { createHash } from "node:crypto";
import type { StoredFact, UserChange, UserKey, UserMemoryBackend } from "@jaf/user-memory/adapter";

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

export const userKey = (userId: string): UserKey => ({ userId, hash: hashOf(userId) });

/** Returns the `seq`th fact of a user, active. */
export const storedFact = (seq: number, fields: Partial<StoredFact> = {}): StoredFact => ({
  ...{ seq, id: `id-${seq}`, fact: `fact ${seq}`, tags: [], score: null, trust: "stated", status: "active" },
  ...{ quarantine: null, digest: hashOf(`digest ${seq}`), key: null, conversationId: null, position: null },
  ...{ messageId: null, author: null, extractor: null, evidence: null, saidAt: null },
  ...{ createdAt: seq, updatedAt: null, validFrom: seq, validUntil: null },
  ...{ supersededBy: null, supersededAt: null, conflictsWith: null, quotation: null, usedAt: null },
  ...{ terms: [{ term: "fact", weight: 1 }], vector: null },
  ...fields,
});

export const added = (...facts: readonly StoredFact[]): Pick<UserChange, "put"> => ({
  put: facts.map((after) => ({ before: null, after })),
});

/** Returns a change of a version. */
export const changeOn = (version: number, parts: Partial<UserChange> = {}): UserChange => ({
  expectedVersion: version,
  head: { version: version + 1, epoch: 0, state: "{}" },
  ...{ put: [], drop: [], tombstones: [], removedTombstones: [], audit: [] },
  ...parts,
});

/** Commits on top of the stored version, if there is no other writer. */
export async function commitTo(
  backend: UserMemoryBackend,
  user: UserKey,
  parts: Partial<UserChange>,
): Promise<void> {
  const { head } = await backend.read(user, {});
  const change = changeOn(head?.version ?? 0, parts);
  const kept = { ...change, head: { ...change.head, epoch: head?.epoch ?? 0 } };
  if (!(await backend.commit(user, kept))) throw new Error("another writer has committed");
}
