import type { FactStatus } from "@jaf/user-memory";
import type { UserKey } from "@jaf/user-memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import type { ReplicaWait, RunScript } from "../lua.ts";
import type { scripts } from "./scripts/index.ts";

/** The keys of one user's data, all in one Cluster slot. */
export interface UserKeys extends Readonly<Record<FactStatus, string>> {
  /**
   * The key of the head: the user's version and epoch, and a text with the state that `@jaf/user-memory` keeps for the
   * user. The head stays when the user is erased.
   */
  readonly head: string;
  readonly facts: string;
  readonly vectors: string;
  /** The names under which facts can be looked up, with the facts' numbers. */
  readonly lookups: string;
  readonly postings: string;
  /** For each indexed fact, the data besides its terms that ranking needs, e.g. its author and time. */
  readonly contexts: string;
  /** For each vector, the signs of its numbers, one bit for each. */
  readonly signatures: string;
  readonly tombstones: string;
  readonly audit: string;
  readonly jobs: string;
}

/**
 * Returns functions that build keys of the form `<prefix>user-memory:{<hash of the user id>}:<part>`. The braces
 * distinguish these keys from keys of conversations, and put all keys of a user into one Cluster slot.
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
    /**
     * Returns the key that exists if the entry with this ticket was removed from the list of all jobs. The script
     * `takeJob` sets it, and `writeJob` refuses to write a job whose entry was removed.
     */
    goneEntryKey: (user: UserKey, ticket: string): string => keyOf(user, `gone:${ticket}`),
    /** The key of the list of all users' jobs. */
    allJobs: `${prefix}user-memory:{jobs}`,
  };
}

type CreatedUserKeys = ReturnType<typeof createUserKeys>;

/** What every part of the backend needs to send commands and to run scripts. */
export interface UserMemoryCalls {
  readonly port: RedisPort;
  readonly run: RunScript<keyof typeof scripts>;
  readonly keys: CreatedUserKeys;
  readonly deadlines: Deadlines;
  /** The replicas that a write waits for. If absent, a write waits for no replica. */
  readonly wait?: ReplicaWait | undefined;
}
