import { createMemoryConnectionError, createMemoryStorageError } from "@jaf/memory/adapter";
import type { StoredFact, UserKey, UserMemoryBackend } from "../backend.ts";
import { createJobs } from "./jobs.ts";
import { createUserState, type UserState } from "./user-state.ts";

/**
 * Creates a backend that stores everything in memory. This backend is the reference for the behaviour of all backends.
 * Each of its methods is atomic, because no method waits for anything while it works.
 *
 * @example
 * ```ts
 * import { createInMemoryUserMemoryBackend, defineUserMemory } from "@jaf/user-memory";
 * import { mapFacts, type TextCodec } from "@jaf/user-memory/adapter";
 *
 * declare const encryption: TextCodec;
 *
 * const memory = defineUserMemory(mapFacts(createInMemoryUserMemoryBackend(), encryption));
 * ```
 */
export const createInMemoryUserMemoryBackend = (): UserMemoryBackend => openInMemory().backend;

interface InMemory {
  readonly backend: UserMemoryBackend;
  /** Returns everything that the backend stores, so that tests can search it. */
  readonly contents: () => readonly unknown[];
}

/** Creates an in-memory backend, with access to everything that it stores, for tests. */
export function openInMemory(): InMemory {
  const users = new Map<string, UserState>();
  const jobs = createJobs((user) => users.get(user.hash)?.head()?.epoch ?? 0);
  let closed = false;

  const open = (): void => {
    if (closed) throw new Error("closed");
  };
  const stateOf = ({ hash }: UserKey): UserState => {
    const state = users.get(hash) ?? createUserState();
    users.set(hash, state);
    return state;
  };
  const newestFirst = (a: StoredFact, b: StoredFact): number => b.seq - a.seq;

  const backend: UserMemoryBackend = {
    name: "in-memory",
    read: async (user, { tombstones = [], ...selection }) => {
      open();
      const state = users.get(user.hash);
      return {
        head: state?.head() ?? null,
        facts: state?.select(selection) ?? [],
        tombstones: state?.tombstonesOf(tombstones) ?? [],
      };
    },
    commit: async (user, change) => {
      open();
      const version = users.get(user.hash)?.head()?.version ?? 0;
      if (version !== change.expectedVersion) return false;
      stateOf(user).apply(change);
      return true;
    },
    erase: async (user, { state, audit }) => {
      open();
      const before = users.get(user.hash);
      const head = before?.head() ?? { version: 0, epoch: 0 };
      const remains = createUserState();
      users.set(user.hash, remains);
      const next = { version: head.version + 1, epoch: head.epoch + 1, state };
      remains.apply({
        expectedVersion: head.version,
        head: next,
        put: [],
        drop: [],
        tombstones: [],
        removedTombstones: [],
        audit,
      });
      const facts = before?.facts() ?? [];
      const vectors = facts.filter(({ vector }) => vector !== null).length;
      return { facts: facts.length, vectors, jobs: jobs.drop(user) };
    },
    match: async (user, terms) => {
      open();
      return users.get(user.hash)?.match(terms) ?? { size: 0, documents: [] };
    },
    nearest: async (user, vector, limit) => {
      open();
      return nearestOf(users.get(user.hash)?.facts() ?? [], vector, limit);
    },
    list: async (user, { statuses, before = Number.POSITIVE_INFINITY, limit }) => {
      open();
      const facts = users.get(user.hash)?.facts() ?? [];
      return facts
        .filter(({ seq, status }) => seq < before && statuses.includes(status))
        .sort(newestFirst)
        .slice(0, limit);
    },
    audit: async (user) => {
      open();
      const state = users.get(user.hash);
      return { head: state?.head() ?? null, entries: state?.audit() ?? [] };
    },
    jobs: jobs.backend,
    close: async () => {
      closed = true;
      users.clear();
      jobs.clear();
    },
    toMemoryError: (operation, cause) =>
      closed
        ? createMemoryConnectionError("in-memory", "it was closed; create a new one", {
            operation,
            retryable: false,
          })
        : createMemoryStorageError(operation, "an unexpected error", { cause, provider: "in-memory" }),
  };
  const contents = () => [
    ...[...users].map(([hash, state]) => [hash, state.head(), state.facts(), state.audit()]),
    ...jobs.waiting(),
  ];
  return { backend, contents };
}

/** Finds a user's facts whose vectors are nearest to `vector`, best first. */
function nearestOf(facts: readonly StoredFact[], vector: readonly number[], limit: number) {
  // Vectors of another dimension are from another embedding model.
  const length = Math.hypot(...vector);
  return facts
    .flatMap(({ seq, vector: other }) =>
      other === null || other.length !== vector.length
        ? []
        : [{ seq, similarity: dot(vector, other) / (length * norm(other)) }],
    )
    .filter(({ similarity }) => Number.isFinite(similarity))
    .sort((a, b) => b.similarity - a.similarity || b.seq - a.seq)
    .slice(0, limit);
}

const norm = (vector: readonly number[]): number => Math.sqrt(dot(vector, vector));

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
