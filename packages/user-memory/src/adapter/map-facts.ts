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
 * What becomes of a user's texts before a backend keeps them, and back. Both may be called at any time, in any order, and are
 * called on the codec itself. What they throw, or reject with, is a failure of the store's: of it, only the name is kept, since
 * it may quote the text. Where `encode` fails, nothing is written.
 */
export interface TextCodec {
  /** It need not give the same for the same text. What it gives holds no NUL and no unpaired surrogate. */
  encode(text: string, user: UserKey): string | Promise<string>;
  /** Takes back what `encode` gave for a text of this user's: to the same text, exactly. */
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
 * The same backend, in which every text that a user said stands as `encode` gives it: to encrypt it, with a key for each
 * user if need be, or to keep it somewhere else. Mapped are a fact's `fact`, `tags`, `evidence` and `quotation`, bodies of jobs, and
 * what the shared code keeps as it likes: the head's state and the bodies of the audit trail.
 *
 * What facts are found and ranked by stays as it is, or nothing would be found: terms (the words, as stems), vectors, `key`,
 * `author`, conversation and message ids, times, digests, and the user's id.
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
