import type { ProviderReading } from "@jaf/memory";
import type { StoreTime } from "./store-time.ts";

/** A reading of a conversation, with the store's time. */
export interface Loaded extends ProviderReading {
  readonly time: StoreTime;
}

/** A conversation without its messages. `receipt`: only from versioned providers, see `isVersionedProvider`. */
export type Head = Pick<Loaded, "conversation" | "incarnation" | "receipt" | "time">;
