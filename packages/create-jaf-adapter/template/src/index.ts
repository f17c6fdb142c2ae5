import type { MemoryAdapter, VersionedMemoryProvider } from "@jaf/memory";
import { configSchema, type MyStoreConfig } from "./config.ts";
import { createMyStoreProvider } from "./provider.ts";

export type { MyStoreConfig } from "./config.ts";
export { createMyStoreProvider } from "./provider.ts";

/** Found by `createMemoryProvider({ type: "my-store" })` and `JAF_MEMORY_TYPE=my-store`, by the name of this package. */
export const adapter: MemoryAdapter<MyStoreConfig, never> = {
  type: "my-store",
  configSchema,
  // Each variable sets one field of the configuration. Mark passwords with `secret: true`.
  environment: { JAF_MY_STORE_LOCATION: { field: "location", recommended: true } },
  create: createMyStoreProvider,
};

declare module "@jaf/memory" {
  interface MemoryAdapterTypes {
    "my-store": {
      readonly config: MyStoreConfig;
      readonly client: never;
      readonly provider: VersionedMemoryProvider;
    };
  }
}
