import { createHash } from "node:crypto";
import type { MemoryErrorUnion } from "@jaf/memory";
import type { FactStatus, QuarantineReason, Trust } from "./fact.ts";
import type { Matches, MessageLocation, TermWeight } from "./ranker/term-index.ts";

/**
 * The storage port: I/O and nothing else. `defineUserMemory` makes a `UserMemoryStore` of it: it holds every rule, so that
 * all backends remember, recall and forget alike. Methods throw what their driver throws.
 */
export interface UserMemoryBackend {
  /** The name in errors, e.g. `"postgres"`. */
  readonly name: string;
  /** One consistent look at a user: head, facts and tombstones of one version. */
  readonly read: (
    user: UserKey,
    selection: FactSelection & Extent & { readonly tombstones?: readonly string[] },
  ) => Promise<UserSnapshot>;
  /** `false`: the version was another, and nothing was written. */
  readonly commit: (user: UserKey, change: UserChange) => Promise<boolean>;
  /** Deletes facts, index, vectors, tombstones, audit trail and jobs of the user, whatever the version. */
  readonly erase: (user: UserKey, erasure: Erasure) => Promise<Erased>;
  /** The user's indexed facts that hold any of the terms. */
  readonly match: (user: UserKey, terms: readonly string[]) => Promise<Matches>;
  /**
   * The user's facts nearest to a vector by cosine similarity, best first; vectors of another dimension, and of length 0, are
   * left out. Absent: the backend keeps no vectors.
   */
  readonly nearest?: (
    user: UserKey,
    vector: readonly number[],
    limit: number,
  ) => Promise<readonly { readonly seq: number; readonly similarity: number }[]>;
  /** Newest (highest `seq`) first. */
  readonly list: (
    user: UserKey,
    page: Extent & {
      readonly statuses: readonly FactStatus[];
      /** Only facts below this `seq`. */
      readonly before?: number | undefined;
      readonly limit: number;
    },
  ) => Promise<readonly StoredFact[]>;
  /** The whole audit trail, oldest first, with the head it belongs to. */
  readonly audit: (
    user: UserKey,
  ) => Promise<{ readonly head: UserHead | null; readonly entries: readonly StoredAuditEntry[] }>;
  readonly jobs: JobBackend;
  /** Closes only what the backend itself opened. */
  readonly close: () => Promise<void>;
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

/**
 * Extraction jobs, over all users. A user's jobs are erased with the user's facts. All times are by the store's own clock: callers say
 * how long, never until when, since the clock of a process may be wrong by years.
 */
export interface JobBackend {
  /** Whether jobs outlive the process. */
  readonly durable: boolean;
  /**
   * Adds a job that is handed out for `leaseMs` from now on, with one attempt. `false`, and nothing is written: there is
   * one of this id, or the user's epoch isn't `epoch`.
   */
  readonly enqueue: (
    job: Omit<StoredJob, "attempts">,
    options: { readonly epoch: number; readonly leaseMs: number },
  ) => Promise<boolean>;
  /**
   * Hands out for `leaseMs` up to `limit` jobs that can be handed out by now, those that wait longest first, each to one
   * caller, and counts the attempt.
   */
  readonly lease: (options: {
    readonly leaseMs: number;
    readonly limit: number;
  }) => Promise<readonly StoredJob[]>;
  /** Deletes a job, if it is there. */
  readonly complete: (user: UserKey, id: string) => Promise<void>;
  /** The job can be handed out again in `delayMs`, and not before, if it is there. */
  readonly release: (user: UserKey, id: string, delayMs: number) => Promise<void>;
  readonly size: () => Promise<number>;
}

/** A user as backends know one. */
export interface UserKey {
  readonly userId: string;
  /** SHA-256 of the user id, base64url, 43 characters: what keys and rows that outlive the user's facts are named by. */
  readonly hash: string;
}

/** Of an id that was checked. */
export const userKeyOf = (userId: string): UserKey => ({
  userId,
  hash: createHash("sha256").update(userId, "utf8").digest("base64url"),
});

export type { TermWeight };

/** A fact as backends keep it. Times are milliseconds since 1970. Text holds no NUL and no unpaired surrogate. */
export interface StoredFact {
  /** Grows with each fact of the user, from 1. Never used twice, also not after a fact is gone. */
  readonly seq: number;
  /** A random id. */
  readonly id: string;
  readonly fact: string;
  readonly tags: readonly string[];
  readonly score: number | null;
  readonly trust: Trust;
  readonly status: FactStatus;
  readonly quarantine: QuarantineReason | null;
  /** Names what the fact says, but for case, spaces and punctuation: a keyed hash, 43 characters. */
  readonly digest: string;
  readonly key: string | null;
  readonly conversationId: string | null;
  readonly position: number | null;
  readonly messageId: string | null;
  readonly author: string | null;
  readonly extractor: string | null;
  readonly evidence: string | null;
  readonly saidAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  readonly validFrom: number;
  readonly validUntil: number | null;
  readonly supersededBy: string | null;
  readonly supersededAt: number | null;
  readonly conflictsWith: string | null;
  /** Of a fact that is the user's own words: JSON of the shared code's, kept as it is, never read by a backend. */
  readonly quotation: string | null;
  /** When it was recalled first, as far as anybody kept that. */
  readonly usedAt: number | null;
  /** What the index holds of it; empty while it is quarantined. */
  readonly terms: readonly TermWeight[];
  /** `null` without `embed`, and while it is quarantined. Single precision is enough. */
  readonly vector: readonly number[] | null;
}

/** The one row of a user that every write compares and replaces. A user without one has version and epoch 0. */
export interface UserHead {
  /** How many writes there were. */
  readonly version: number;
  /** How often everything was forgotten. */
  readonly epoch: number;
  /** JSON of the shared code's: kept as it is, never read by a backend. */
  readonly state: string;
}

/** A fact that was forgotten. */
export interface Tombstone {
  /** A keyed hash of what the fact said, or of where it was extracted from; 43 characters. */
  readonly digest: string;
  /** When it was forgotten, in milliseconds since 1970. */
  readonly at: number;
}

/** Which of a user's facts to read: those that any of these names, whatever their status. */
export interface FactSelection {
  readonly seqs?: readonly number[];
  readonly ids?: readonly string[];
  readonly digests?: readonly string[];
  readonly keys?: readonly string[];
  /** Those with one of these keys that are active: few, however long the history of a key is. */
  readonly currentKeys?: readonly string[];
  readonly locations?: readonly MessageLocation[];
  /** Those that one of these facts took the place of. */
  readonly supersededBy?: readonly string[];
}

/** How much of facts is needed. */
export interface Extent {
  /** `true`: terms and vectors may be left out, as `[]` and `null`. */
  readonly brief?: boolean | undefined;
}

export interface UserSnapshot {
  readonly head: UserHead | null;
  /** Each once, in the order of `seq`. */
  readonly facts: readonly StoredFact[];
  /** Those of the tombstones asked for that exist. */
  readonly tombstones: readonly Tombstone[];
}

/** One write, to be done in one atomic step. */
export interface UserChange {
  /** The version that the user's head must have; 0: there is none yet. Anything else: nothing is written. */
  readonly expectedVersion: number;
  /** The head to write; its version is `expectedVersion + 1`. */
  readonly head: UserHead;
  /**
   * New facts, and changed ones with what they were. What `before` was indexed and is found by stands in it as it is stored;
   * its texts need not, since whoever encodes them may encode them another way each time.
   */
  readonly put: readonly { readonly before: StoredFact | null; readonly after: StoredFact }[];
  /** Facts to delete, with everything that is derived from them. */
  readonly drop: readonly StoredFact[];
  /** To add; one with the same digest is replaced. */
  readonly tombstones: readonly Tombstone[];
  /** Digests of tombstones to delete. */
  readonly removedTombstones: readonly string[];
  /** To add at the end of the user's audit trail. */
  readonly audit: readonly StoredAuditEntry[];
}

/** A link of the audit trail: JSON of the shared code's, kept as it is. */
export interface StoredAuditEntry {
  readonly seq: number;
  readonly body: string;
}

/**
 * What remains of a user whom everything is deleted of, whatever was there: in one atomic step, the head's version and
 * epoch grow by one (from 0 where there was none), its state and the audit trail become these.
 */
export interface Erasure {
  readonly state: string;
  readonly audit: readonly StoredAuditEntry[];
}

export interface Erased {
  readonly facts: number;
  readonly vectors: number;
  readonly jobs: number;
}

/** An extraction job. */
export interface StoredJob {
  readonly user: UserKey;
  /** 1 to 255 characters. */
  readonly id: string;
  /** JSON of the shared code's. It holds what the user said. */
  readonly body: string;
  /** How often it was handed out. */
  readonly attempts: number;
}
