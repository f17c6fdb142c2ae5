import { isVersionedProvider, type MemoryProvider, type VersionedMemoryProvider } from "@jaf/memory";

export interface CountedProvider extends MemoryProvider {
  /** Calls so far by method, in the order of the first call; methods that weren't called are absent. */
  readonly calls: Readonly<Partial<Record<keyof VersionedMemoryProvider, number>>>;
}

/**
 * Counts the calls that reach a memory provider.
 *
 * @example
 * const provider = countCalls(createInMemoryProvider());
 * await run(state, { ...config, memory: { provider, autoStore: true } });
 * expect(provider.calls).toEqual({ readConversation: 1, appendMessages: 1 });
 */
export function countCalls(provider: MemoryProvider): CountedProvider {
  const calls: Partial<Record<keyof VersionedMemoryProvider, number>> = {};
  const counting = <Method extends keyof VersionedMemoryProvider>(
    method: Method,
    // Called on the provider: one that is a class needs its `this`.
    call: (this: MemoryProvider, ...args: unknown[]) => unknown,
  ): VersionedMemoryProvider[Method] =>
    ((...args: unknown[]) => {
      calls[method] = (calls[method] ?? 0) + 1;
      return call.apply(provider, args);
    }) as VersionedMemoryProvider[Method];
  const counted = <Method extends keyof MemoryProvider>(method: Method): MemoryProvider[Method] =>
    counting(method, provider[method] as () => unknown);
  const versioned = isVersionedProvider(provider)
    ? {
        readConversation: counting("readConversation", provider.readConversation as () => unknown),
        exportConversation: counting("exportConversation", provider.exportConversation as () => unknown),
        importConversation: counting("importConversation", provider.importConversation as () => unknown),
      }
    : {};
  return {
    calls,
    ...versioned,
    storeMessages: counted("storeMessages"),
    getConversation: counted("getConversation"),
    appendMessages: counted("appendMessages"),
    findConversations: counted("findConversations"),
    getRecentMessages: counted("getRecentMessages"),
    deleteConversation: counted("deleteConversation"),
    clearUserConversations: counted("clearUserConversations"),
    getStats: counted("getStats"),
    healthCheck: counted("healthCheck"),
    close: counted("close"),
  };
}
