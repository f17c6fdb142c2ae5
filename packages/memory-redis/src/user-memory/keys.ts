import type { FactStatus } from "@jaf/user-memory";
import type { UserKey } from "@jaf/user-memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import type { ReplicaWait, RunScript } from "../lua.ts";
import type { scripts } from "./scripts/index.ts";

/** The keys of one user, all in one slot. */
export interface UserKeys extends Readonly<Record<FactStatus, string>> {
  /** Survives `erase`: version, epoch, and the shared code's state. */
  readonly head: string;
  readonly facts: string;
  readonly vectors: string;
  /** The names by which facts are found. */
  readonly lookups: string;
  readonly postings: string;
  /** The data of indexed facts that ranking needs besides their terms. */
  readonly contexts: string;
  /** One bit for each number of a vector. */
  readonly signatures: string;
  readonly tombstones: string;
  readonly audit: string;
  readonly jobs: string;
}

/**
 * Names the keys: `<prefix>user-memory:{<hash of the user id>}:<part>`. The braces distinguish them from keys of
 * conversations, and put all keys of a user into one slot.
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
    /** Marks that the entry with this ticket was removed from the list of all jobs. */
    goneEntryKey: (user: UserKey, ticket: string): string => keyOf(user, `gone:${ticket}`),
    /** The list of all users' jobs. */
    allJobs: `${prefix}user-memory:{jobs}`,
  };
}

type CreatedUserKeys = ReturnType<typeof createUserKeys>;

/** The connection, keys and scripts for every part of the backend. */
export interface UserMemoryCalls {
  readonly port: RedisPort;
  readonly run: RunScript<keyof typeof scripts>;
  readonly keys: CreatedUserKeys;
  readonly deadlines: Deadlines;
  /** Without it, a write waits for no replica. */
  readonly wait?: ReplicaWait | undefined;
}
