import type { FactStatus } from "@jaf/user-memory";
import type { UserKey } from "@jaf/user-memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import type { ReplicaWait, RunScript } from "../lua.ts";
import type { scripts } from "./scripts/index.ts";

/** The keys of one user's data, all in one Cluster slot. */
export interface UserKeys extends Readonly<Record<FactStatus, string>> {
  /**
   * The key of the user's head: its version, its epoch, and its state as a text. The head stays when the user is
   * erased.
   */
  readonly head: string;
  readonly facts: string;
  readonly vectors: string;
  /** Maps each name under which a fact can be looked up to the fact's number (`seq`). */
  readonly lookups: string;
  readonly postings: string;
  /** For each fact that has terms, the data that ranking needs besides the terms, e.g. author and time. */
  readonly contexts: string;
  /** For each fact that has a vector, the signs of the vector's numbers: one bit for each number. */
  readonly signatures: string;
  readonly tombstones: string;
  readonly audit: string;
  readonly jobs: string;
}

/** Returns functions that build keys of the form `<prefix>user-memory:{<hash of the user id>}:<part>`. */
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
    /**
     * Returns a key that exists if the entry with this ticket was removed from the list of all jobs. The script
     * `takeJob` sets it, and `writeJob` checks it.
     */
    goneEntryKey: (user: UserKey, ticket: string): string => keyOf(user, `gone:${ticket}`),
    /** The key of the list of all users' jobs. */
    allJobs: `${prefix}user-memory:{jobs}`,
  };
}

type CreatedUserKeys = ReturnType<typeof createUserKeys>;

/** The functions with which each part of the user memory backend sends commands and runs scripts. */
export interface UserMemoryCalls {
  readonly port: RedisPort;
  readonly run: RunScript<keyof typeof scripts>;
  readonly keys: CreatedUserKeys;
  readonly deadlines: Deadlines;
  /** The replicas that a write waits for. Absent: it waits for none. */
  readonly wait?: ReplicaWait | undefined;
}
