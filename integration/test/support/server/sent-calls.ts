import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The statements or commands that stores send, each with the method that sends it, e.g. `"log.begin: WITH …"`. The sender
 * of a store without a name is `other`.
 */
export interface SentCalls {
  readonly record: (sent: string) => void;
  /** Returns the store with methods that are named as senders. */
  readonly named: <T extends object>(name: string, store: T) => T;
  /** Returns the calls since the last `take`. */
  readonly take: () => readonly string[];
}

export function watchCalls(): SentCalls {
  const sender = new AsyncLocalStorage<string>();
  let calls: string[] = [];
  const named = <T extends object>(name: string, store: T): T =>
    // Not a proxy of the store itself, which can be frozen.
    new Proxy(Object.create(store) as T, {
      get: (_, key) => {
        const value: unknown = Reflect.get(store, key, store);
        const path = `${name}.${String(key)}`;
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => sender.run(path, () => Reflect.apply(value, store, args));
      },
    });
  return {
    named,
    record: (sent) => void calls.push(`${sender.getStore() ?? "other"}: ${sent}`),
    take: () => {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
}
