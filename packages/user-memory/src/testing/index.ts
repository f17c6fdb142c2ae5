export type { BackendFactory, BackendTestOptions, BackendUnderTest } from "./backend/harness.ts";
export { describeUserMemoryBackend } from "./backend/suite.ts";
export type { StoreFactory, StoreTestOptions, StoreUnderTest } from "./store/harness.ts";
export { describeUserMemory } from "./store-suite.ts";
