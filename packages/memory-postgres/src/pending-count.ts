/** How many are not settled yet. */
export function createPendingCount() {
  let count = 0;
  let listeners: (() => void)[] = [];
  return {
    more: () => {
      count += 1;
    },
    less: () => {
      count -= 1;
      if (count > 0) return;
      for (const listener of listeners) listener();
      listeners = [];
    },
    none: () => new Promise<void>((resolve) => (count === 0 ? resolve() : listeners.push(resolve))),
  };
}
