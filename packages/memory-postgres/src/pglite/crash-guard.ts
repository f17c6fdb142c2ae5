import type { PGlite } from "@electric-sql/pglite";

/** What `error-rules.ts` knows it by, which can't import it: the two are separate entries. */
export class PgliteCrashed extends Error {
  override readonly name = "PgliteCrashed";
  constructor() {
    super("PGlite has crashed");
  }
}

const CRASH = /PANIC: |^Aborted\(/;

export interface CrashGuard {
  /** Takes each line that Postgres writes to its log. */
  readonly onOutput: (line: string) => void;
  readonly crashed: () => boolean;
  readonly protect: (client: PGlite) => void;
}

/**
 * Postgres ends its process when it can't write its log, as on a full disk. PGlite has no process to end: the next
 * query would run on in what is left, for ever, and block the whole application. The guard lets none through.
 */
export function createCrashGuard(): CrashGuard {
  let crashed = false;
  return {
    onOutput: (line) => {
      crashed ||= CRASH.test(line);
    },
    crashed: () => crashed,
    protect: (client) => {
      // The one entry point to Postgres' code, for queries, scripts and transactions alike.
      const enter = client.execProtocolRawSync.bind(client);
      client.execProtocolRawSync = (message) => {
        if (crashed) throw new PgliteCrashed();
        return enter(message);
      };
    },
  };
}
