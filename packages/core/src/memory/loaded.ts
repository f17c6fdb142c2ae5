import type { ProviderReading } from "@jaf/memory";
import type { StoreTime } from "./store-time.ts";

/** A reading, and what time it was. */
export interface Loaded extends ProviderReading {
  readonly time: StoreTime;
}

/** The conversation without its messages. `receipt`: see `isVersionedProvider`; others tell none. */
export type Head = Pick<Loaded, "conversation" | "incarnation" | "receipt" | "time">;
