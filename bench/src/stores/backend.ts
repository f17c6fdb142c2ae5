import type { MemoryProvider } from "@jaf/memory";
import type { StoreKind } from "../options.ts";
import type { Store } from "./store.ts";

/** A server of its own, and the ways to keep conversations on it. Each opened store has connections of its own. */
export interface Backend {
  readonly name: string;
  readonly kind: StoreKind;
  /** The driver alone, with the least that can keep messages. */
  readonly openRaw: () => Promise<Store>;
  /** `namespace`: a table name or a part of the keys. */
  readonly openProvider: (namespace: string) => Promise<MemoryProvider>;
  /** Once the data is there: leaves no housekeeping of the load to the measurement. */
  readonly tidy: () => Promise<void>;
}
