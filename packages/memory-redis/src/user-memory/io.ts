import type { RedisPort } from "../client/port.ts";
import type { Deadlines } from "../command-deadlines.ts";
import type { ReplicaWait, RunScript } from "../scripts/runner.ts";
import type { CreatedUserKeys } from "./keys.ts";
import type { scripts } from "./scripts/index.ts";

/** What every part of the backend works with. */
export interface UserMemoryIo {
  readonly port: RedisPort;
  readonly run: RunScript<keyof typeof scripts>;
  readonly keys: CreatedUserKeys;
  readonly deadlines: Deadlines;
  /** Absent: a write waits for no replica. */
  readonly wait?: ReplicaWait | undefined;
}
