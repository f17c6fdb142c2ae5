import type { StoredFact, UserHead, UserKey, UserMemoryBackend } from "../../../backend.ts";
import { below, pick, type Random, some } from "../../random.ts";
import { plainFacts, plainMatches, plainSnapshot, STATUSES } from "../expectations.ts";
import { hashOf, userKey } from "../facts.ts";
import { HOUR_MS } from "../lease-times.ts";
import { NAMES, randomChange, randomDigest, randomVector, TERMS } from "./change.ts";

/** A random call of a backend. `run` resolves with those parts of the result that must be equal on every backend. */
export interface RandomStep {
  readonly name: string;
  readonly run: (backend: UserMemoryBackend) => Promise<unknown>;
}

/** Returns a user's head record and facts in the reference backend (the in-memory backend). */
export type Look = (user: UserKey) => Promise<{
  readonly head: UserHead | null;
  readonly facts: readonly StoredFact[];
}>;

const USERS = ["ann", "bob", "__proto__"].map(userKey);
const JOBS = ["x", "y", "z"].map(hashOf);

const step = (name: string, run: RandomStep["run"]): RandomStep => ({ name, run });

function reading(random: Random, user: UserKey): RandomStep {
  const selection = {
    seqs: Array.from({ length: below(random, 4) }, () => 1 + below(random, 60)),
    ids: some(random, NAMES, 0.2).map((name) => `${name}-${1 + below(random, 60)}`),
    digests: some(random, [randomDigest(random)]),
    keys: some(random, NAMES, 0.2),
    currentKeys: some(random, NAMES, 0.2),
    locations: some(random, NAMES, 0.2).map((conversationId) => ({
      conversationId,
      position: below(random, 3),
    })),
    supersededBy: some(random, NAMES, 0.2),
    tombstones: [...new Set(Array.from({ length: 3 }, () => randomDigest(random)))],
  };
  return step("read", async (backend) => plainSnapshot(backend, await backend.read(user, selection)));
}

function listing(random: Random, user: UserKey): RandomStep {
  const before = random() < 0.5 ? undefined : below(random, 80);
  const page = { statuses: some(random, STATUSES), before, limit: 1 + below(random, 10) };
  return step("list", async (backend) => plainFacts(backend, await backend.list(user, page)));
}

function matching(random: Random, user: UserKey): RandomStep {
  const terms = some(random, [...TERMS, "none"], 0.4);
  // The size of the index is undefined without terms.
  return step("match", async (backend) =>
    terms.length === 0 ? [] : plainMatches(await backend.match(user, terms)),
  );
}

function nearing(random: Random, user: UserKey): RandomStep {
  const vector = randomVector(random);
  return step("nearest", async (backend) => {
    const found = await backend.nearest?.(user, vector, 1_000);
    return found?.map(({ similarity }) => similarity);
  });
}

function queueing(random: Random, user: UserKey, epoch: number): RandomStep {
  const [id, body] = [pick(random, JOBS), `${below(random, 100)}`];
  // Ready immediately or never, so the duration of a step doesn't matter.
  const leaseMs = random() < 0.5 ? 0 : HOUR_MS;
  const enqueue = { epoch: random() < 0.8 ? epoch : epoch + 1, leaseMs };
  // All ready jobs, so their order doesn't matter.
  const lease = { leaseMs, limit: 100 };
  return pick(random, [
    step("enqueue", ({ jobs }) => jobs.enqueue({ user, id, body }, enqueue)),
    step("enqueue", ({ jobs }) => jobs.enqueue({ user, id, body }, enqueue)),
    step("lease", async ({ jobs }) => {
      const leased = (await jobs.lease(lease)).map((job) => ({ ...job, name: `${job.user.hash} ${job.id}` }));
      return leased.sort((a, b) => (a.name < b.name ? -1 : 1));
    }),
    step("complete", ({ jobs }) => jobs.complete(user, id)),
    step("release", ({ jobs }) => jobs.release(user, id, leaseMs)),
    step("size", ({ jobs }) => jobs.size()),
  ]);
}

/**
 * Returns a random call of a backend for a random user. Its arguments fit the user's current data, so that it often has
 * an effect.
 */
export async function randomStep(random: Random, look: Look): Promise<RandomStep> {
  const user = pick(random, USERS);
  const kind = random();
  const now = await look(user);
  if (kind < 0.4) {
    const change = randomChange(random, now);
    return step("commit", (backend) => backend.commit(user, change));
  }
  if (kind < 0.42) {
    const erasure = { state: `${kind}`, audit: [{ seq: 1, body: `${kind}` }] };
    return step("erase", async (backend) => {
      const { facts, vectors, jobs } = await backend.erase(user, erasure);
      return { facts, jobs, vectors: backend.nearest === undefined ? null : vectors };
    });
  }
  if (kind < 0.55) return reading(random, user);
  if (kind < 0.65) return matching(random, user);
  if (kind < 0.7) return nearing(random, user);
  if (kind < 0.77) return listing(random, user);
  if (kind < 0.8) return step("audit", (backend) => backend.audit(user));
  return queueing(random, user, now.head?.epoch ?? 0);
}
