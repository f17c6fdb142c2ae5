import { createHash } from "node:crypto";
import type { MemoryErrorUnion } from "@jaf/memory";
import type { FactStatus, QuarantineReason, Trust } from "./fact.ts";
import type { Matches, MessageLocation, TermWeight } from "./ranker/term-index.ts";

/**
 * The storage port, for I/O only. `defineUserMemory` makes a `UserMemoryStore` of it and contains all rules, so all backends
 * behave the same. Methods reject with the errors of their driver.
 */
export interface UserMemoryBackend {
  /** The name in errors, e.g. `"postgres"`. */
  readonly name: string;
  /** Reads head, facts and tombstones of a user, consistent at one version. */
  readonly read: (
    user: UserKey,
    selection: FactSelection & Extent & { readonly tombstones?: readonly string[] },
  ) => Promise<UserSnapshot>;
  /** Writes a change. `false` if the version differs; then nothing is written. */
  readonly commit: (user: UserKey, change: UserChange) => Promise<boolean>;
  /** Deletes the user's facts, index, vectors, tombstones, audit trail and jobs, at any version. */
  readonly erase: (user: UserKey, erasure: Erasure) => Promise<Erased>;
  /** Finds the user's indexed facts that contain any of the terms. */
  readonly match: (user: UserKey, terms: readonly string[]) => Promise<Matches>;
  /**
   * Finds the user's facts nearest to a vector by cosine similarity, best first. Skips vectors of another dimension or of
   * length 0. Absent if the backend stores no vectors.
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
      /** Only facts below this `seq`. */
      readonly before?: number | undefined;
      readonly limit: number;
    },
  ) => Promise<readonly StoredFact[]>;
  /** Reads the whole audit trail, oldest first, and the head of the same version. */
  readonly audit: (
    user: UserKey,
  ) => Promise<{ readonly head: UserHead | null; readonly entries: readonly StoredAuditEntry[] }>;
  /** The extraction jobs. */
  readonly jobs: JobBackend;
  /** Closes only the connections that the backend itself opened. */
  readonly close: () => Promise<void>;
  /** Converts an error of the driver. `operation` is the method of the store, e.g. `"remember"`. */
  readonly toMemoryError: (operation: string, thrown: unknown) => MemoryErrorUnion;
}

/**
 * Extraction jobs of all users. A user's jobs are erased with the user's facts. Callers pass durations, and the backend uses
 * the store's clock, because the clock of a process may be wrong.
 */
export interface JobBackend {
  /** Whether jobs survive the end of the process. */
  readonly durable: boolean;
  /**
   * Adds a job that is leased for `leaseMs` from now, with one attempt. `false` if a job with this id exists or the user's
   * epoch isn't `epoch`; then nothing is written.
   */
  readonly enqueue: (
    job: Omit<StoredJob, "attempts">,
    options: { readonly epoch: number; readonly leaseMs: number },
  ) => Promise<boolean>;
  /**
   * Leases up to `limit` available jobs for `leaseMs`, those that wait longest first, each to one caller. Counts the attempt.
   */
  readonly lease: (options: {
    readonly leaseMs: number;
    readonly limit: number;
  }) => Promise<readonly StoredJob[]>;
  /** Deletes a job if it exists. */
  readonly complete: (user: UserKey, id: string) => Promise<void>;
  /** Makes a job available again after `delayMs`, and not earlier, if it exists. */
  readonly release: (user: UserKey, id: string, delayMs: number) => Promise<void>;
  /** Returns the number of jobs, leased or not. */
  readonly size: () => Promise<number>;
}

/** A user's id and its hash. */
export interface UserKey {
  /** The id as the application passed it. */
  readonly userId: string;
  /** SHA-256 of the user id as base64url, 43 characters. It names keys and rows that outlive the user's facts. */
  readonly hash: string;
}

/** Returns the key of a validated user id. */
export const userKeyOf = (userId: string): UserKey => ({
  userId,
  hash: createHash("sha256").update(userId, "utf8").digest("base64url"),
});

export type { TermWeight };

/** A fact in a backend. Times are milliseconds since 1970. Texts contain no NUL and no unpaired surrogate. */
export interface StoredFact {
  /** Counts the user's facts from 1. Numbers of deleted facts aren't used again. */
  readonly seq: number;
  /** A random id. */
  readonly id: string;
  /** The text. */
  readonly fact: string;
  /** The tags, or an empty list. */
  readonly tags: readonly string[];
  /** Confidence in [0, 1]. */
  readonly score: number | null;
  /** Where the fact comes from. */
  readonly trust: Trust;
  /** Whether the fact is recalled, is history, or waits for review. */
  readonly status: FactStatus;
  /** Why the fact waits for review. */
  readonly quarantine: QuarantineReason | null;
  /** A keyed hash of the fact's text without case, spaces and punctuation; 43 characters. */
  readonly digest: string;
  /** The topic, e.g. `"home-city"`. */
  readonly key: string | null;
  /** The id of the conversation that the fact comes from. */
  readonly conversationId: string | null;
  /** Position of the message in its conversation, from 0. */
  readonly position: number | null;
  /** The message's own id. */
  readonly messageId: string | null;
  /** Name or id of the author. */
  readonly author: string | null;
  /** The program or model that extracted the fact. */
  readonly extractor: string | null;
  /** The words that the fact was extracted from. */
  readonly evidence: string | null;
  /** When it was said. */
  readonly saidAt: number | null;
  /** When it was stored. */
  readonly createdAt: number;
  /** When it was last changed. */
  readonly updatedAt: number | null;
  /** The time from which the fact holds. */
  readonly validFrom: number;
  /** The time until which the fact holds. */
  readonly validUntil: number | null;
  /** Id of the fact that replaced this one. */
  readonly supersededBy: string | null;
  /** The time from which the fact that replaced this one holds. */
  readonly supersededAt: number | null;
  /** Id of the user's fact that this quarantined fact contradicts. */
  readonly conflictsWith: string | null;
  /** Details of a quotation, as opaque JSON. */
  readonly quotation: string | null;
  /** The first recall, if recorded. */
  readonly usedAt: number | null;
  /** The index terms. Empty while the fact is quarantined. */
  readonly terms: readonly TermWeight[];
  /** `null` without `embed` and while the fact is quarantined. Single precision is enough. */
  readonly vector: readonly number[] | null;
}

/** The row of a user that every write compares and replaces. Without a head, version and epoch are 0. */
export interface UserHead {
  /** Number of writes. */
  readonly version: number;
  /** Number of erasures. */
  readonly epoch: number;
  /** Opaque JSON. */
  readonly state: string;
}

/** The trace of a forgotten fact. */
export interface Tombstone {
  /** A keyed hash of the fact's text or of its source; 43 characters. */
  readonly digest: string;
  /** The time of forgetting, in milliseconds since 1970. */
  readonly at: number;
}

/** Selects the facts, of any status, that match at least one of the fields. */
export interface FactSelection {
  /** Facts with one of these numbers. */
  readonly seqs?: readonly number[];
  /** Facts with one of these ids. */
  readonly ids?: readonly string[];
  /** Facts with one of these digests. */
  readonly digests?: readonly string[];
  /** Facts with one of these keys. */
  readonly keys?: readonly string[];
  /** Active facts with one of these keys. They are few, even if the history of a key is long. */
  readonly currentKeys?: readonly string[];
  /** Facts from one of these messages. */
  readonly locations?: readonly MessageLocation[];
  /** Facts that were superseded by one of these ids. */
  readonly supersededBy?: readonly string[];
}

/** Which parts of facts to read. */
export interface Extent {
  /** If `true`, the backend can return `[]` for terms and `null` for vectors. */
  readonly brief?: boolean | undefined;
}

/** The result of a read, consistent at the head's version. */
export interface UserSnapshot {
  /** `null` if nothing was ever written for the user. */
  readonly head: UserHead | null;
  /** Each fact once, in the order of `seq`. */
  readonly facts: readonly StoredFact[];
  /** The requested tombstones that exist. */
  readonly tombstones: readonly Tombstone[];
}

/** One atomic write. */
export interface UserChange {
  /** The version that the user's head must have; 0 if there must be no head. Otherwise nothing is written. */
  readonly expectedVersion: number;
  /** The new head with the version `expectedVersion + 1`. */
  readonly head: UserHead;
  /**
   * New and changed facts. `before` is the stored fact, with the same index terms and lookup fields. Its texts can differ from
   * the stored ones, because a codec can encode a text differently each time.
   */
  readonly put: readonly { readonly before: StoredFact | null; readonly after: StoredFact }[];
  /** Facts to delete, with their index terms and vectors. */
  readonly drop: readonly StoredFact[];
  /** Tombstones to add. Each replaces one with the same digest. */
  readonly tombstones: readonly Tombstone[];
  /** Digests of tombstones to delete. */
  readonly removedTombstones: readonly string[];
  /** Entries to append to the user's audit trail. */
  readonly audit: readonly StoredAuditEntry[];
}

/** An entry of the audit trail. */
export interface StoredAuditEntry {
  /** Counts from 1 for each user, without gaps. */
  readonly seq: number;
  /** Opaque JSON. */
  readonly body: string;
}

/**
 * The state and the audit trail of a user after an erasure. In one atomic step, the backend increments the head's version
 * and epoch (from 0 without a head) and replaces state and audit trail.
 */
export interface Erasure {
  /** The new state of the head: opaque JSON. */
  readonly state: string;
  /** The entries that replace the audit trail. */
  readonly audit: readonly StoredAuditEntry[];
}

/** Counts of the data that an erasure deleted. */
export interface Erased {
  /** Number of facts of any status. */
  readonly facts: number;
  /** Number of vectors. */
  readonly vectors: number;
  /** Number of extraction jobs. */
  readonly jobs: number;
}

/** An extraction job. */
export interface StoredJob {
  /** The user that the job belongs to. */
  readonly user: UserKey;
  /** 1 to 255 characters. */
  readonly id: string;
  /** Opaque JSON. It contains the user's words. */
  readonly body: string;
  /** Number of times that the job was leased. */
  readonly attempts: number;
}
