export type { BackendFactory, BackendUnderTest } from "./backend/harness.ts";
export { describeUserMemoryBackend } from "./backend/suite.ts";
export type { UserMemoryTestOptions } from "./options.ts";
export type { StoreFactory, StoreUnderTest } from "./store/harness.ts";
export { describeUserMemory } from "./store-suite.ts";
