import type { MemoryProvider } from "@jaf/memory";
import type { Lab } from "../lab.ts";
import type { StoreKind } from "../options.ts";
import { startPostgresBackend } from "./postgres.ts";
import { startRedisBackend } from "./redis.ts";
import type { Store } from "./store.ts";

/** A store for each client, raw and ours on the same connections. */
export interface Clients {
  readonly name: string;
  readonly raw: readonly Store[];
  readonly jaf: readonly Store[];
}

/** A server of its own, and the ways to keep conversations on it. Each opened store has connections of its own. */
export interface Backend {
  readonly name: string;
  readonly kind: StoreKind;
  readonly url: string;
  /** The driver alone, with the least that can keep messages. */
  readonly openRaw: () => Promise<Store>;
  /** `namespace`: a table name or a part of the keys. */
  readonly openProvider: (namespace: string) => Promise<MemoryProvider>;
  readonly openPeer: () => Promise<Store>;
  /** The ways in which `count` clients can work, on as many connections. */
  readonly openMany: (count: number) => Promise<readonly Clients[]>;
  /** Once the data is there: leaves no housekeeping of the load to the measurement. */
  readonly tidy: () => Promise<void>;
  /**
   * Watches until the returned function is called; it tells how long, in milliseconds, the longest step took: on Redis
   * a command, during which the server does nothing else, on Postgres a statement of the last opened
   * provider, which holds its locks until it ends.
   */
  readonly watchSteps: () => Promise<() => Promise<number>>;
}

export const startBackend = (lab: Lab, kind: StoreKind): Promise<Backend> =>
  kind === "redis" ? startRedisBackend(lab) : startPostgresBackend(lab, { durable: true });
