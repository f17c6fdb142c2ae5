export type { Capability, MemoryCapabilities, MemoryProviderHarness, TestStore } from "./harness.ts";
export { type Level, levels } from "./level.ts";
export { checkMemoryProvider, type RuleReport } from "./report.ts";
export { RuleBroken } from "./rule-broken.ts";
export { describeMemoryProvider } from "./suite.ts";
