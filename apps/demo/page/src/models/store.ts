import { useEffect, useState } from "preact/hooks";

/** An observable value. */
export interface Store<Value> {
  readonly get: () => Value;
  readonly set: (change: Partial<Value> | ((value: Value) => Value)) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createStore<Value extends object>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set: (change) => {
      value = typeof change === "function" ? change(value) : { ...value, ...change };
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<Value extends object>(store: Store<Value>): Value {
  const [value, setValue] = useState(store.get());
  useEffect(() => {
    const update = () => setValue(store.get());
    update();
    return store.subscribe(update);
  }, [store]);
  return value;
}
