import type { MemoryProvider, VersionedMemoryProvider } from "@jaf/memory";

type Method = keyof VersionedMemoryProvider;

/** A memory provider that counts the calls of its methods. */
export interface CountedProvider extends MemoryProvider {
  /** The number of calls by method, in the order of the first calls. Methods that weren't called are absent. */
  readonly calls: Readonly<Partial<Record<Method, number>>>;
}

const METHODS = [
  "storeMessages",
  "getConversation",
  "appendMessages",
  "findConversations",
  "getRecentMessages",
  "deleteConversation",
  "clearUserConversations",
  "getStats",
  "healthCheck",
  "close",
] as const satisfies readonly (keyof MemoryProvider)[];

/** Methods that only some memory providers have. */
const VERSIONED = [
  "readConversation",
  "exportConversation",
  "importConversation",
] as const satisfies readonly Method[];

/**
 * Returns a memory provider that passes all calls on to `provider` and counts the calls. It has the same methods as
 * `provider`.
 *
 * @example
 * ```ts
 * import { type RunConfig, type RunState, run } from "@jaf/core";
 * import { countCalls } from "@jaf/core/testing";
 * import { createInMemoryProvider } from "@jaf/memory";
 * import { expect } from "vitest";
 *
 * declare const state: RunState<object>;
 * declare const config: RunConfig<object>;
 *
 * const provider = countCalls(createInMemoryProvider());
 * await run(state, { ...config, memory: { provider, autoStore: true } });
 * expect(provider.calls).toEqual({ readConversation: 1, appendMessages: 1 });
 * ```
 */
export function countCalls(provider: MemoryProvider): CountedProvider {
  const calls: Partial<Record<Method, number>> = {};
  const given = provider as Partial<VersionedMemoryProvider>;
  const counted = (method: Method): readonly (readonly [Method, unknown])[] => {
    const call = given[method] as ((...args: unknown[]) => unknown) | undefined;
    if (call === undefined) return [];
    const count = (...args: unknown[]) => {
      calls[method] = (calls[method] ?? 0) + 1;
      // The method is called on the provider, because the provider can be an instance of a class.
      return call.apply(provider, args);
    };
    return [[method, count]];
  };
  const methods = Object.fromEntries([...METHODS, ...VERSIONED].flatMap(counted));
  return { ...(methods as unknown as MemoryProvider), calls };
}
