import type { FactStatus } from "@jaf/user-memory";
import type { UserKey } from "@jaf/user-memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import type { ReplicaWait, RunScript } from "../lua.ts";
import type { scripts } from "./scripts/index.ts";

/** Keys of one user, all in one slot. */
export interface UserKeys extends Readonly<Record<FactStatus, string>> {
  /** What outlives `erase`: version, epoch, and the shared code's state. */
  readonly head: string;
  readonly facts: string;
  readonly vectors: string;
  /** Names that facts are found by. */
  readonly lookups: string;
  readonly postings: string;
  /** Of the indexed facts: what ranking needs beside their terms. */
  readonly contexts: string;
  /** One bit of each number of a vector. */
  readonly signatures: string;
  readonly tombstones: string;
  readonly audit: string;
  readonly jobs: string;
}

/**
 * How keys are named: `<prefix>user-memory:{<hash of the user id>}:<part>`. The braces tell them from those of
 * conversations, and put what belongs to a user into one slot.
 */
export function createUserKeys(prefix: string) {
  const keyOf = ({ hash }: UserKey, part: string): string => `${prefix}user-memory:{${hash}}:${part}`;
  return {
    of: (user: UserKey): UserKeys => {
      const key = (part: string): string => keyOf(user, part);
      return {
        head: key("head"),
        facts: key("facts"),
        vectors: key("vectors"),
        lookups: key("lookups"),
        postings: key("postings"),
        contexts: key("contexts"),
        signatures: key("signatures"),
        active: key("active"),
        quarantined: key("quarantined"),
        superseded: key("superseded"),
        tombstones: key("tombstones"),
        audit: key("audit"),
        jobs: key("jobs"),
      };
    },
    /** Says that the entry with this ticket is gone from the list of all jobs. */
    goneEntryKey: (user: UserKey, ticket: string): string => keyOf(user, `gone:${ticket}`),
    /** The list of all jobs, of all users. */
    allJobs: `${prefix}user-memory:{jobs}`,
  };
}

type CreatedUserKeys = ReturnType<typeof createUserKeys>;

/** What every part of the backend works with. */
export interface UserMemoryCalls {
  readonly port: RedisPort;
  readonly run: RunScript<keyof typeof scripts>;
  readonly keys: CreatedUserKeys;
  readonly deadlines: Deadlines;
  /** Absent: a write waits for no replica. */
  readonly wait?: ReplicaWait | undefined;
}
