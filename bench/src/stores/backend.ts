import type { MemoryProvider } from "@jaf/memory";
import type { StoreKind } from "../options.ts";
import type { Store } from "./store.ts";

/** The messages of a turn alone, raw and ours; and ours with all that the engine expects and records of a run. */
export type ContenderName = "raw" | "JAF" | "JAF as the engine";

/** What many clients are measured with, on the same connections: a store for each of them, by contender. */
export interface Clients {
  readonly name: string;
  readonly stores: Readonly<Record<ContenderName, readonly Store[]>>;
}

/** A server of its own, and the ways to keep conversations on it. Each opened store has connections of its own. */
export interface Backend {
  readonly name: string;
  readonly kind: StoreKind;
  /** The driver alone, with the least that can keep messages. */
  readonly openRaw: () => Promise<Store>;
  /** `namespace`: a table name or a part of the keys. */
  readonly openProvider: (namespace: string) => Promise<MemoryProvider>;
  /** The ways in which `count` clients can work, on as many connections. */
  readonly openMany: (count: number) => Promise<readonly Clients[]>;
  /** Once the data is there: leaves no housekeeping of the load to the measurement. */
  readonly tidy: () => Promise<void>;
}
