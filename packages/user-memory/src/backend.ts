import { createHash } from "node:crypto";
import type { MemoryErrorUnion } from "@jaf/memory";
import type { FactStatus, QuarantineReason, Trust } from "./fact.ts";
import type { Matches, MessageLocation, TermWeight } from "./ranker/term-index.ts";

/**
 * The storage port of a user memory. A backend only does I/O. All rules are in `defineUserMemory`, which makes a
 * `UserMemoryStore` from a backend. So user memories behave the same on all backends. If a method fails, it rejects
 * with the error of the database driver. The store converts this error with `toMemoryError`.
 */
export interface UserMemoryBackend {
  /** The name of the backend in error messages, e.g. `"postgres"`. */
  readonly name: string;
  /**
   * Reads a user's head record, the selected facts, and the tombstones whose digests are in `tombstones`. Head, facts
   * and tombstones must be of the same version of the user's data.
   */
  readonly read: (
    user: UserKey,
    selection: FactSelection & Extent & { readonly tombstones?: readonly string[] },
  ) => Promise<UserSnapshot>;
  /**
   * Writes a change in one atomic write and returns `true`. If the version of the user's stored head record isn't
   * `change.expectedVersion`, writes nothing and returns `false`.
   */
  readonly commit: (user: UserKey, change: UserChange) => Promise<boolean>;
  /**
   * Deletes the user's facts, index, vectors, tombstones, audit trail and jobs, whatever the version of the user's
   * head record is. In the same atomic write, stores the new state of the head and the new audit trail from `erasure`.
   * Returns how much was deleted.
   */
  readonly erase: (user: UserKey, erasure: Erasure) => Promise<Erased>;
  /** Finds the user's facts that have at least one of the index terms in `terms`. */
  readonly match: (user: UserKey, terms: readonly string[]) => Promise<Matches>;
  /**
   * Finds the user's facts whose vectors are nearest to the given vector by cosine similarity, best first. Skips facts
   * whose vector has another dimension or contains only zeros. A backend that stores no vectors leaves this method out.
   */
  readonly nearest?: (
    user: UserKey,
    vector: readonly number[],
    limit: number,
  ) => Promise<readonly { readonly seq: number; readonly similarity: number }[]>;
  /** Lists up to `limit` facts with one of the statuses, newest (highest `seq`) first. */
  readonly list: (
    user: UserKey,
    page: Extent & {
      readonly statuses: readonly FactStatus[];
      /**
       * Only lists facts whose `seq` is lower than this number. For the next page, pass the `seq` of the last fact of
       * the previous page.
       */
      readonly before?: number | undefined;
      readonly limit: number;
    },
  ) => Promise<readonly StoredFact[]>;
  /** Reads the user's whole audit trail, oldest entry first, and the head, both at the same version. */
  readonly audit: (
    user: UserKey,
  ) => Promise<{ readonly head: UserHead | null; readonly entries: readonly StoredAuditEntry[] }>;
  /** Stores the extraction jobs of all users. */
  readonly jobs: JobBackend;
  /** Closes the connections that the backend itself opened, but not connections that the application passed to it. */
  readonly close: () => Promise<void>;
  /**
   * Converts an error of the database driver into a memory error. `operation` is the method of the store that was
   * called, e.g. `"remember"`.
   */
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

/**
 * Stores the extraction jobs of all users. `UserMemoryBackend.erase` deletes the user's jobs. Callers pass durations
 * (e.g. `leaseMs`), not times. The backend measures durations by the clock of the store, because the clock of a process
 * may be wrong.
 */
export interface JobBackend {
  /** Whether stored jobs are still there after the process has ended. */
  readonly durable: boolean;
  /**
   * Adds a job with `attempts: 1`, leases it to the caller for `leaseMs` milliseconds, and returns `true`. In two
   * cases, writes nothing and returns `false`:
   *
   * - The user already has a job with this id.
   * - The user's current epoch isn't `epoch`.
   */
  readonly enqueue: (
    job: Omit<StoredJob, "attempts">,
    options: { readonly epoch: number; readonly leaseMs: number },
  ) => Promise<boolean>;
  /**
   * Leases up to `limit` jobs for `leaseMs` milliseconds and adds 1 to their `attempts`. Skips jobs that are still
   * leased, and released jobs whose `delayMs` isn't over. The jobs that have waited longest are leased first. If
   * several callers lease at the same time, each job goes to only one of them.
   */
  readonly lease: (options: {
    readonly leaseMs: number;
    readonly limit: number;
  }) => Promise<readonly StoredJob[]>;
  /** Deletes a job if it exists. */
  readonly complete: (user: UserKey, id: string) => Promise<void>;
  /**
   * Makes a job available again `delayMs` milliseconds from now, and not earlier. Does nothing if the job doesn't
   * exist.
   */
  readonly release: (user: UserKey, id: string, delayMs: number) => Promise<void>;
  /** Returns the number of stored jobs, whether they are leased or not. */
  readonly size: () => Promise<number>;
}

/** A user's id and its hash. */
export interface UserKey {
  /** The user id as the application passed it. */
  readonly userId: string;
  /**
   * SHA-256 of the user id as base64url, 43 characters. After an erasure, this hash is stored instead of the user id.
   */
  readonly hash: string;
}

/** Returns a user's id and its hash. The caller must have validated the id. */
export const userKeyOf = (userId: string): UserKey => ({
  userId,
  hash: createHash("sha256").update(userId, "utf8").digest("base64url"),
});

export type { TermWeight };

/**
 * A fact as a backend stores it. Times are in milliseconds since 1970. Texts contain no NUL and no unpaired surrogate.
 */
export interface StoredFact {
  /**
   * The number of the fact among the user's facts, from 1, in the order of storage. There can be gaps. A number is
   * never used again.
   */
  readonly seq: number;
  /** The random id of the fact. */
  readonly id: string;
  /** The text of the fact. */
  readonly fact: string;
  /** The tags of the fact, or an empty list. */
  readonly tags: readonly string[];
  /** Confidence in the fact, from 0 to 1. `null` if unknown. */
  readonly score: number | null;
  /** Where the fact comes from, e.g. `"stated"`: from the user. */
  readonly trust: Trust;
  /**
   * `"active"`: the fact is recalled. `"superseded"`: a newer fact replaced the fact. `"quarantined"`: the fact waits
   * for review.
   */
  readonly status: FactStatus;
  /** Why the fact waits for review. `null` if it doesn't wait for review. */
  readonly quarantine: QuarantineReason | null;
  /**
   * A keyed hash of the fact's text, 43 characters. Texts that differ only in case, spaces and punctuation have the
   * same hash. For a quotation that answers a question, it is a hash of question and answer.
   */
  readonly digest: string;
  /** The topic of the fact, e.g. `"home-city"`. A newer fact with this key replaces this fact. */
  readonly key: string | null;
  /** The id of the conversation that the fact comes from. */
  readonly conversationId: string | null;
  /** Position of the message that the fact comes from in its conversation, from 0. */
  readonly position: number | null;
  /** The id of the message that the fact comes from. */
  readonly messageId: string | null;
  /** Name or id of the author of the message that the fact comes from. */
  readonly author: string | null;
  /** The program or model that extracted the fact. */
  readonly extractor: string | null;
  /** The words of a message that the fact was extracted from. */
  readonly evidence: string | null;
  /** When the fact was said. `null` if unknown. */
  readonly saidAt: number | null;
  /** When the fact was stored. */
  readonly createdAt: number;
  /** When the stored fact was last changed. `null` if it never was. */
  readonly updatedAt: number | null;
  /** The fact is true from this time on. */
  readonly validFrom: number;
  /** The fact is true until this time. `null` if no end is known. */
  readonly validUntil: number | null;
  /** Id of the fact that replaced this one. `null`: no fact replaced this one. */
  readonly supersededBy: string | null;
  /** When the fact that replaced this one began to be true. `null`: no fact replaced this one. */
  readonly supersededAt: number | null;
  /** Id of the stored fact that this quarantined fact contradicts. `null` if there is none. */
  readonly conflictsWith: string | null;
  /**
   * Details of a quotation (e.g. the question that it answers), as JSON that the backend doesn't read. `null` if the
   * fact isn't a quotation.
   */
  readonly quotation: string | null;
  /**
   * When the quotation was recalled for the first time. `null`: no recall was recorded, or the fact isn't a quotation.
   */
  readonly usedAt: number | null;
  /** The index terms (stemmed words and dates) by which queries find the fact. Empty while the fact is quarantined. */
  readonly terms: readonly TermWeight[];
  /**
   * The vector that `embed` returned for the fact. `null` if `embed` isn't set or failed, and while the fact is
   * quarantined. A backend may store the numbers with single precision.
   */
  readonly vector: readonly number[] | null;
}

/**
 * The head record of a user. Each write replaces the record, and `version` grows by 1. For a user without a record,
 * `version` and `epoch` count as 0.
 */
export interface UserHead {
  /** Number of writes for this user. */
  readonly version: number;
  /** Number of erasures of this user's memory. */
  readonly epoch: number;
  /** JSON that the backend stores but doesn't read. */
  readonly state: string;
}

/** What remains of a forgotten fact, so that the fact isn't stored again from older messages. */
export interface Tombstone {
  /**
   * A keyed hash of the forgotten fact's text, of its word stems, or of its source message; 43 characters. A fact can
   * leave a tombstone for each of the three.
   */
  readonly digest: string;
  /**
   * When the fact was forgotten, in milliseconds since 1970. For a fact that a review rejected:
   * `Number.MAX_SAFE_INTEGER`.
   */
  readonly at: number;
}

/** Selects facts with any status. A fact is selected if it matches at least one of the fields. */
export interface FactSelection {
  /** Facts whose `seq` is one of these numbers. */
  readonly seqs?: readonly number[];
  /** Facts whose `id` is one of these ids. */
  readonly ids?: readonly string[];
  /** Facts whose `digest` (hash of the text) is one of these digests. */
  readonly digests?: readonly string[];
  /** Facts whose `key` (topic) is one of these keys. */
  readonly keys?: readonly string[];
  /** Active facts whose `key` (topic) is one of these keys. Superseded facts with these keys aren't selected. */
  readonly currentKeys?: readonly string[];
  /** Facts that come from the messages at these locations. */
  readonly locations?: readonly MessageLocation[];
  /** Facts that were superseded by a fact with one of these ids. */
  readonly supersededBy?: readonly string[];
}

/** Options that say how much of each fact a backend reads. */
export interface Extent {
  /** If `true`, the backend can return `[]` as `terms` and `null` as `vector` of each fact. */
  readonly brief?: boolean | undefined;
}

/** The result of a backend's `read`. Head, facts and tombstones are of the same version of the user's data. */
export interface UserSnapshot {
  /** The user's head record. `null` if nothing was ever written for the user. */
  readonly head: UserHead | null;
  /** The selected facts, each once, in the order of `seq`. */
  readonly facts: readonly StoredFact[];
  /** The stored tombstones whose digests were requested. */
  readonly tombstones: readonly Tombstone[];
}

/** One atomic write of a user's data. */
export interface UserChange {
  /**
   * The version that the user's stored head record must have; 0 if the user must have no head. If the version differs,
   * nothing is written.
   */
  readonly expectedVersion: number;
  /** The head to store. Its version is `expectedVersion + 1`. */
  readonly head: UserHead;
  /**
   * New and changed facts. `before` is the stored fact, or `null` for a new fact. `after` is the fact to store.
   * `before` has the index terms, ids, keys and digests of the stored fact. Its texts can differ from the stored texts,
   * because a `TextCodec` (e.g. encryption) can encode a text differently each time.
   */
  readonly put: readonly { readonly before: StoredFact | null; readonly after: StoredFact }[];
  /** Facts to delete, together with their index terms and vectors. */
  readonly drop: readonly StoredFact[];
  /** Tombstones to add. A tombstone replaces a stored tombstone with the same digest. */
  readonly tombstones: readonly Tombstone[];
  /** Digests of tombstones to delete. */
  readonly removedTombstones: readonly string[];
  /** Entries to append to the stored audit trail of the user. */
  readonly audit: readonly StoredAuditEntry[];
}

/** An entry of a user's audit trail, as a backend stores it. */
export interface StoredAuditEntry {
  /** The number of the entry in the user's audit trail: from 1, without gaps. */
  readonly seq: number;
  /** The entry as JSON that the backend stores but doesn't read. */
  readonly body: string;
}

/**
 * The state and the audit trail that replace all data of a user when the user's memory is erased. In the same atomic
 * write, the backend adds 1 to the version and to the epoch of the user's head record. For a user without a head, both
 * count as 0.
 */
export interface Erasure {
  /** The new state of the head, as JSON that the backend doesn't read. */
  readonly state: string;
  /** The entries that replace the user's audit trail. */
  readonly audit: readonly StoredAuditEntry[];
}

/** How much an erasure deleted. */
export interface Erased {
  /** Number of deleted facts, with any status. */
  readonly facts: number;
  /** Number of deleted vectors. */
  readonly vectors: number;
  /** Number of deleted extraction jobs. */
  readonly jobs: number;
}

/** An extraction job, as a backend stores it. */
export interface StoredJob {
  /** The user that the job belongs to. */
  readonly user: UserKey;
  /** The id of the job, 1 to 255 characters. */
  readonly id: string;
  /** The job as JSON that the backend doesn't read. It contains the user's words. */
  readonly body: string;
  /** Number of times that the job was leased so far, including the lease from `enqueue`. */
  readonly attempts: number;
}
