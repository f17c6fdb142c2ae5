import {
  createFailure,
  createInMemoryProvider,
  createMemoryConnectionError,
  createSuccess,
  type FallbackEvent,
  type FallbackOptions,
  type MemoryErrorUnion,
  type VersionedMemoryProvider,
  withFallback,
} from "../../src/index.ts";

/** A provider that fails while `outage.error` is set. */
function failing() {
  const inner = createInMemoryProvider();
  const outage: { error?: MemoryErrorUnion | undefined; calls: number; isUnhealthy?: boolean } = { calls: 0 };
  const gate = <Args extends readonly unknown[], R>(method: (...args: Args) => Promise<R>) => {
    return async (...args: Args) => {
      outage.calls += 1;
      return outage.error === undefined ? method(...args) : createFailure(outage.error);
    };
  };
  const provider: VersionedMemoryProvider = {
    storeMessages: gate(inner.storeMessages),
    appendMessages: gate(inner.appendMessages),
    getConversation: gate(inner.getConversation),
    findConversations: gate(inner.findConversations),
    getRecentMessages: gate(inner.getRecentMessages),
    deleteConversation: gate(inner.deleteConversation),
    clearUserConversations: gate(inner.clearUserConversations),
    readConversation: gate(inner.readConversation),
    exportConversation: gate(inner.exportConversation),
    importConversation: gate(inner.importConversation),
    verifyConversation: gate(inner.verifyConversation),
    getStats: gate(inner.getStats),
    healthCheck: gate(async () =>
      outage.isUnhealthy === true ? createSuccess({ healthy: false }) : inner.healthCheck(),
    ),
    close: inner.close,
  };
  return { provider, outage };
}

/** A primary that can be made to fail, with a fallback. */
export function setUp(options: FallbackOptions = {}) {
  const { provider: primary, outage } = failing();
  const fallback = createInMemoryProvider();
  const events: FallbackEvent[] = [];
  const onFallback = (event: FallbackEvent) => events.push(event);
  const provider = withFallback(primary, fallback, { cooldownMs: 0, onFallback, ...options });
  const down = createMemoryConnectionError("memory");
  return { provider, primary, fallback, outage, events, down };
}
