import { expect } from "vitest";
import type { UserHead, UserMemoryBackend } from "../../../backend.ts";
import { allFacts, expectNothingLeft, matched } from "../expectations.ts";
import {
  added,
  addTo,
  auditEntry,
  changeOn,
  commitTo,
  hashOf,
  headOf,
  storedFact,
  storedFacts,
  userKey,
} from "../facts.ts";
import type { BackendScenario, BackendSpec } from "../spec.ts";

const user = userKey("u");
const WORKERS = 8;
const erasure = { state: "remains", audit: [auditEntry(1, "erased")] };

const clientsOf = async ({ backend, another }: BackendScenario): Promise<readonly UserMemoryBackend[]> => [
  backend,
  await another(),
];

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits before a worker starts, longer for workers with higher numbers. */
async function stagger(worker: number): Promise<void> {
  // So the workers are at different points of their work.
  for (let turn = 0; turn < worker; turn++) await pause();
}

/** Waits until `reached` returns `true`, or until one of the workers has failed. */
async function until(reached: () => boolean, workers: readonly Promise<void>[]): Promise<void> {
  let failed = false;
  Promise.all(workers).catch(() => {
    failed = true;
  });
  while (!reached() && !failed) await pause();
}

export const erase: BackendSpec = {
  subject: "erase",
  rules: {
    "deletes all data of the user and returns the counts": async ({ backend }) => {
      const facts = storedFacts(10).map((fact, index) => ({
        ...fact,
        ...{ key: `k${index}`, conversationId: "c", position: index, supersededBy: "id-1" },
        vector: index < 4 ? [1, index] : null,
      }));
      const tombstones = [{ digest: hashOf("t"), at: 1 }];
      await commitTo(backend, user, { put: added(facts), tombstones, audit: [auditEntry(1, "before")] });
      for (const turn of ["a", "b", "c"]) {
        await backend.jobs.enqueue({ user, id: hashOf(turn), body: turn }, { epoch: 0, leaseMs: 0 });
      }
      const vectors = backend.nearest === undefined ? 0 : 4;
      expect(await backend.erase(user, erasure)).toEqual({ facts: 10, vectors, jobs: 3 });
      await expectNothingLeft(backend, user, { facts, tombstones: [hashOf("t")] });
      expect(await backend.jobs.size()).toBe(0);
      expect(await backend.jobs.lease({ leaseMs: 0, limit: 10 })).toEqual([]);
    },

    "leaves a head with the next version and epoch, and the given audit trail": async ({ backend }) => {
      await addTo(backend, user, ...storedFacts(2));
      await commitTo(backend, user, { audit: [auditEntry(1), auditEntry(2)] });
      await backend.erase(user, { state: "remains", audit: [auditEntry(3, "erased")] });
      const head = { version: 3, epoch: 1, state: "remains" };
      expect(await backend.audit(user)).toEqual({ head, entries: [auditEntry(3, "erased")] });
      await backend.erase(user, { state: "again", audit: [] });
      expect(await backend.audit(user)).toEqual({
        head: { version: 4, epoch: 2, state: "again" },
        entries: [],
      });
    },

    "returns zero counts for an unknown user and starts at version and epoch 1": async ({ backend }) => {
      expect(await backend.erase(user, erasure)).toEqual({ facts: 0, vectors: 0, jobs: 0 });
      expect(await headOf(backend, user)).toEqual({ version: 1, epoch: 1, state: "remains" });
    },

    "deletes the jobs of a user without facts": async ({ backend }) => {
      await backend.jobs.enqueue({ user, id: hashOf("a"), body: "a" }, { epoch: 0, leaseMs: 0 });
      expect(await backend.erase(user, erasure)).toEqual({ facts: 0, vectors: 0, jobs: 1 });
      expect(await backend.jobs.size()).toBe(0);
    },

    "refuses a write of an earlier version and allows new facts": async ({ backend }) => {
      const before = await addTo(backend, user, ...storedFacts(3));
      await backend.erase(user, erasure);
      expect(await backend.commit(user, changeOn(before, { put: added(storedFacts(1, 4)) }))).toBe(false);
      expect(await backend.commit(user, changeOn(null, { put: added(storedFacts(1, 4)) }))).toBe(false);
      await addTo(backend, user, storedFact(1, { key: "new" }));
      expect(await matched(backend, user, "fact")).toEqual([1]);
      expect((await backend.match(user, ["fact"])).size).toBe(1);
      expect(await headOf(backend, user)).toMatchObject({ version: 3, epoch: 1 });
      expect(await backend.erase(user, erasure)).toMatchObject({ facts: 1 });
    },

    "deletes and counts every fact while 8 writers commit": async (scenario) => {
      const clients = await clientsOf(scenario);
      let committed = 0;
      const write = async (backend: UserMemoryBackend, writer: number): Promise<void> => {
        await stagger(writer);
        for (let head: UserHead | null = null; (head?.epoch ?? 0) === 0; head = await headOf(backend, user)) {
          const seq = (head?.version ?? 0) * WORKERS + writer + 1;
          const done = await backend.commit(user, changeOn(head, { put: added([storedFact(seq)]) }));
          if (done) committed += 1;
          await pause();
        }
      };
      const writers = Array.from({ length: WORKERS }, (_, writer) =>
        write(clients[writer % clients.length] ?? scenario.backend, writer),
      );
      await until(() => committed >= 20, writers);
      const erased = await scenario.backend.erase(user, erasure);
      await Promise.all(writers);
      expect(erased.facts).toBe(committed);
      expect(await allFacts(scenario.backend, user)).toEqual([]);
      expect(await scenario.backend.match(user, ["fact"])).toEqual({ size: 0, documents: [] });
      expect(await headOf(scenario.backend, user)).toMatchObject({ version: committed + 1, epoch: 1 });
    },

    "deletes and counts every job while 8 clients enqueue": async (scenario) => {
      const clients = await clientsOf(scenario);
      let enqueued = 0;
      const enqueue = async (backend: UserMemoryBackend, worker: number): Promise<void> => {
        await stagger(worker);
        for (let turn = 0; turn < 10_000; turn++) {
          const job = { user, id: hashOf(`${worker}/${turn}`), body: "said" };
          if (!(await backend.jobs.enqueue(job, { epoch: 0, leaseMs: 0 }))) return;
          enqueued += 1;
          await pause();
        }
      };
      const workers = Array.from({ length: WORKERS }, (_, worker) =>
        enqueue(clients[worker % clients.length] ?? scenario.backend, worker),
      );
      await until(() => enqueued >= 20, workers);
      const erased = await scenario.backend.erase(user, erasure);
      await Promise.all(workers);
      expect(erased.jobs).toBe(enqueued);
      expect(await scenario.backend.jobs.size()).toBe(0);
      expect(await scenario.backend.jobs.lease({ leaseMs: 0, limit: 10 })).toEqual([]);
    },

    "counts each fact once if two clients erase at the same time": async (scenario) => {
      const [first, second] = [scenario.backend, await scenario.another()];
      await addTo(first, user, ...storedFacts(30));
      const receipts = await Promise.all([first.erase(user, erasure), second.erase(user, erasure)]);
      expect(receipts.reduce((sum, { facts }) => sum + facts, 0)).toBe(30);
      expect(await headOf(first, user)).toMatchObject({ version: 3, epoch: 2 });
    },

    "deletes thousands of facts": async ({ backend }) => {
      const facts = storedFacts(3_000).map((fact) => ({ ...fact, key: `k${fact.seq}` }));
      for (let at = 0; at < facts.length; at += 500) await addTo(backend, user, ...facts.slice(at, at + 500));
      expect(await backend.erase(user, erasure)).toEqual({ facts: 3_000, vectors: 0, jobs: 0 });
      await expectNothingLeft(backend, user, { facts: facts.slice(0, 50) });
    },
  },
};
