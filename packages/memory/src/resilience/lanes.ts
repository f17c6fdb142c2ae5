/** One task after another for each key; tasks of different keys don't wait for each other. */
export function createLanes(): <T>(key: string, task: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, task) => {
    const before = last.get(key) ?? Promise.resolve();
    const result = before.then(task, task);
    last.set(key, result);
    const forget = () => {
      if (last.get(key) === result) last.delete(key);
    };
    result.then(forget, forget);
    return result;
  };
}
