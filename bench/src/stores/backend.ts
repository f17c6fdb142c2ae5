import type { MemoryProvider } from "@jaf/memory";
import type { StoreKind } from "../options.ts";
import type { Store } from "./store.ts";

/**
 * The messages of a turn alone, raw and ours; with what the engine notes of the run in a row or hash of the conversation,
 * raw and ours; with a time to live; and as the engine on tables that have nothing in an index which an append changes.
 */
export type ContenderName =
  | "raw"
  | "JAF"
  | "raw with a head"
  | "JAF as the engine"
  | "JAF as the engine, with a TTL"
  | "JAF as the engine, no index on activity";

/** One way to keep the turns of many clients, with a store for each of them. */
export interface ClientsContender {
  readonly name: ContenderName;
  readonly stores: readonly Store[];
  /** How many of the updates of conversations so far were in no index, in percent; where that can be asked. */
  readonly heapOnlyPercent?: () => Promise<number>;
}

/** What many clients are measured with, on the same connections. */
export interface Clients {
  readonly name: string;
  readonly contenders: readonly ClientsContender[];
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
