import type { MemoryProvider } from "@jaf/memory";

export interface CountedProvider extends MemoryProvider {
  /** Calls so far by method, in the order of the first call; methods that weren't called are absent. */
  readonly calls: Readonly<Partial<Record<keyof MemoryProvider, number>>>;
}

/**
 * Counts the calls that reach a memory provider.
 *
 * @example
 * const provider = countCalls(createInMemoryProvider());
 * await run(state, { ...config, memory: { provider, autoStore: true } });
 * expect(provider.calls).toEqual({ getConversation: 1, appendMessages: 1 });
 */
export function countCalls(provider: MemoryProvider): CountedProvider {
  const calls: Partial<Record<keyof MemoryProvider, number>> = {};
  const counted = <Method extends keyof MemoryProvider>(method: Method): MemoryProvider[Method] => {
    // Called on the provider: one that is a class needs its `this`.
    const call = provider[method] as (this: MemoryProvider, ...args: unknown[]) => unknown;
    return ((...args: unknown[]) => {
      calls[method] = (calls[method] ?? 0) + 1;
      return call.apply(provider, args);
    }) as MemoryProvider[Method];
  };
  return {
    calls,
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
