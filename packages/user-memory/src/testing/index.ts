export type { BackendFactory, BackendTestOptions, BackendUnderTest } from "./backend/harness.ts";
export { describeUserMemoryBackend } from "./backend/suite.ts";
