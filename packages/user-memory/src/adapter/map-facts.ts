import { createMemoryStorageError, describeCause } from "@jaf/memory/adapter";
import type {
  JobBackend,
  StoredAuditEntry,
  StoredFact,
  UserHead,
  UserKey,
  UserMemoryBackend,
} from "../backend.ts";
import { extendUserMemoryBackend } from "./extend-backend.ts";

/**
 * Encodes a user's texts before they are stored, and decodes texts that were stored. Both methods can be called at any
 * time and in any order. If a method throws or rejects, the user memory's call rejects with the error `"storage"`. This
 * error contains only the name of the thrown error, because the thrown error's message may quote the text. If `encode`
 * fails, nothing is written.
 */
export interface TextCodec {
  /**
   * Encodes a text. A text can have a different result at each call. A result must not contain a NUL or an unpaired
   * surrogate.
   */
  encode(text: string, user: UserKey): string | Promise<string>;
  /** Decodes a result of `encode` for this user, and returns the original text. */
  decode(text: string, user: UserKey): string | Promise<string>;
}

type Mapping = (text: string, user: UserKey) => Promise<string>;

class MappingFailed extends Error {
  override readonly name = "MappingFailed";
}

function mappingOf(codec: TextCodec, direction: keyof TextCodec): Mapping {
  return async (text, user) => {
    let mapped: unknown;
    try {
      mapped = await codec[direction](text, user);
    } catch (thrown) {
      throw new MappingFailed(describeCause(thrown).name);
    }
    if (typeof mapped !== "string") throw new MappingFailed("no text");
    return mapped;
  };
}

/**
 * Returns a backend that encodes a user's texts before it stores them, e.g. encrypts them with a key per user. It
 * encodes `fact`, `tags`, `evidence` and `quotation` of facts, the bodies of extraction jobs and of audit entries, and
 * the `state` of the user's head record (`UserHead`).
 *
 * It doesn't encode the fields that search and ranking need: terms (stemmed words), vectors, `key`, `author`,
 * conversation and message ids, times, digests and the user id.
 *
 * @example
 * ```ts
 * import { createInMemoryUserMemoryBackend, defineUserMemory } from "@jaf/user-memory";
 * import { mapFacts } from "@jaf/user-memory/adapter";
 *
 * declare function encrypt(text: string, userId: string): Promise<string>;
 * declare function decrypt(text: string, userId: string): Promise<string>;
 *
 * const backend = mapFacts(createInMemoryUserMemoryBackend(), {
 *   encode: (text, { userId }) => encrypt(text, userId),
 *   decode: (text, { userId }) => decrypt(text, userId),
 * });
 * const memory = defineUserMemory(backend);
 * ```
 */
export function mapFacts(backend: UserMemoryBackend, codec: TextCodec): UserMemoryBackend {
  const encode = mappingOf(codec, "encode");
  const decode = mappingOf(codec, "decode");
  const decodeFacts = (facts: readonly StoredFact[], user: UserKey) => mapAll(facts, withTexts(decode, user));

  return extendUserMemoryBackend(backend, {
    read: async (user, selection) => {
      const { head, facts, tombstones } = await backend.read(user, selection);
      const [decodedHead, decodedFacts] = await Promise.all([
        mapHead(head, user, decode),
        decodeFacts(facts, user),
      ]);
      return { head: decodedHead, facts: decodedFacts, tombstones };
    },
    commit: async (user, change) => {
      const encodeFact = withTexts(encode, user);
      const [state, before, after, drop, audit] = await Promise.all([
        encode(change.head.state, user),
        mapAll(change.put, async (put) => put.before && encodeFact(put.before)),
        mapAll(change.put, (put) => encodeFact(put.after)),
        mapAll(change.drop, encodeFact),
        mapAll(change.audit, withBody(encode, user)),
      ]);
      const put = after.map((fact, at) => ({ before: before[at] ?? null, after: fact }));
      return backend.commit(user, { ...change, head: { ...change.head, state }, put, drop, audit });
    },
    erase: async (user, { state, audit }) =>
      backend.erase(user, {
        state: await encode(state, user),
        audit: await mapAll(audit, withBody(encode, user)),
      }),
    list: async (user, page) => decodeFacts(await backend.list(user, page), user),
    audit: async (user) => {
      const { head, entries } = await backend.audit(user);
      return {
        head: await mapHead(head, user, decode),
        entries: await mapAll(entries, withBody(decode, user)),
      };
    },
    jobs: mapJobs(backend.jobs, encode, decode),
    toMemoryError: (operation, thrown) =>
      thrown instanceof MappingFailed
        ? createMemoryStorageError(operation, `a text could not be mapped (${thrown.message})`, {
            provider: backend.name,
          })
        : backend.toMemoryError(operation, thrown),
  });
}

function mapJobs(jobs: JobBackend, encode: Mapping, decode: Mapping): JobBackend {
  return {
    durable: jobs.durable,
    enqueue: async (job, options) =>
      jobs.enqueue({ ...job, body: await encode(job.body, job.user) }, options),
    lease: async (options) =>
      mapAll(await jobs.lease(options), async (job) => ({ ...job, body: await decode(job.body, job.user) })),
    complete: (user, id) => jobs.complete(user, id),
    release: (user, id, delayMs) => jobs.release(user, id, delayMs),
    size: () => jobs.size(),
  };
}

const mapAll = <From, To>(items: readonly From[], map: (item: From) => Promise<To>): Promise<readonly To[]> =>
  Promise.all(items.map(map));

const withTexts =
  (map: Mapping, user: UserKey) =>
  async (fact: StoredFact): Promise<StoredFact> => {
    const [text, evidence, quotation, tags] = await Promise.all([
      map(fact.fact, user),
      fact.evidence === null ? null : map(fact.evidence, user),
      fact.quotation === null ? null : map(fact.quotation, user),
      mapAll(fact.tags, (tag) => map(tag, user)),
    ]);
    return { ...fact, fact: text, evidence, quotation, tags };
  };

const withBody =
  (map: Mapping, user: UserKey) =>
  async (entry: StoredAuditEntry): Promise<StoredAuditEntry> => ({
    ...entry,
    body: await map(entry.body, user),
  });

const mapHead = async (head: UserHead | null, user: UserKey, map: Mapping): Promise<UserHead | null> =>
  head === null ? null : { ...head, state: await map(head.state, user) };
