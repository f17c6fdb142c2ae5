export type { BlobStoreHarness, TestBlobStore } from "./blobs/harness.ts";
export { describeBlobStoreConformance } from "./blobs/suite.ts";
export type { Capability, MemoryCapabilities, MemoryProviderHarness, TestStore } from "./harness.ts";
export { type Level, levels } from "./level.ts";
export type { ProviderProcess } from "./provider-process.ts";
export { checkMemoryProvider, type RuleReport } from "./report.ts";
export { RuleBroken } from "./rule-broken.ts";
export { serveProviders } from "./serve-providers.ts";
export { describeMemoryProvider } from "./suite.ts";
