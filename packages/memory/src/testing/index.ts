export { type BlobStoreHarness, describeBlobStoreConformance, type TestBlobStore } from "./blobs/suite.ts";
export {
  type CacheAdapterHarness,
  describeCacheAdapterConformance,
  type TestCache,
} from "./cache-adapter.ts";
export { describeInboxConformance, type InboxHarness, type TestInbox } from "./inbox/suite.ts";
export { reportCalls } from "./kit/calls.ts";
export {
  type Capability,
  type Level,
  levels,
  type MemoryCapabilities,
  type MemoryProviderHarness,
  type TestStore,
} from "./kit/harness.ts";
export { type ProviderProcess, serveProviders } from "./kit/provider-process.ts";
export { RuleBroken } from "./kit/rule-broken.ts";
export { describeLedgerConformance, type LedgerHarness, type TestLedger } from "./ledger/suite.ts";
export { checkMemoryProvider, describeMemoryProvider, type RuleReport } from "./memory-provider.ts";
export { describeTimersConformance, type TestTimers, type TimersHarness } from "./timers/suite.ts";
export { describeTurnLogConformance, type TestTurnLog, type TurnLogHarness } from "./turn-log/suite.ts";
export type { TestTurnQueue } from "./turn-queue/scenario.ts";
export { describeTurnQueueConformance, type TurnQueueHarness } from "./turn-queue/suite.ts";
