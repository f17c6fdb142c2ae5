export type { Capability, MemoryCapabilities, MemoryProviderHarness, TestStore } from "./harness.ts";
export { describeMemoryProvider } from "./suite.ts";
