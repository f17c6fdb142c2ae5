import type { MemoryProvider } from "@jaf/memory";
import type { StoreKind } from "../options.ts";
import type { Store } from "./store.ts";

/** A separate server, and the ways to store conversations on it. Each opened store has its own connections. */
export interface Backend {
  readonly name: string;
  readonly kind: StoreKind;
  /** Only the driver, with a minimal schema for messages. */
  readonly openRaw: () => Promise<Store>;
  /** `namespace`: a table name or a part of the keys. */
  readonly openProvider: (namespace: string) => Promise<MemoryProvider>;
  /** Finishes the housekeeping after loading the data, so it doesn't affect the measurement. */
  readonly tidy: () => Promise<void>;
}
