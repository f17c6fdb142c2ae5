import type { CacheAdapter } from "@jaf/memory";
import { warn } from "@jaf/memory/engine";

/** More keys than a process has prompts; those that were set first go. */
const MAX_ENTRIES = 1_000;

let isWarned = false;

function warnOnce(): void {
  if (isWarned) return;
  isWarned = true;
  warn(
    "The names of cached prompts are kept in this process alone, so each process has Google keep the same prompt again. " +
      "Give GoogleCacheRegistry a store that all processes share.",
    { type: "JAFGoogleCacheWarning", code: "JAF_GOOGLE_CACHE_IN_PROCESS" },
  );
}

/** A map, for tests, development and a single process. Warns once a process, when one is first asked. */
export function createInProcessStore(now: () => number = Date.now): CacheAdapter {
  const entries = new Map<string, { readonly value: string; readonly until: number }>();

  const read = (key: string): string | undefined => {
    warnOnce();
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > now()) return entry.value;
    entries.delete(key);
    return undefined;
  };
  const write = (key: string, value: string, ttlSeconds: number): void => {
    warnOnce();
    entries.delete(key);
    entries.set(key, { value, until: now() + ttlSeconds * 1_000 });
    for (const oldest of entries.keys()) {
      if (entries.size <= MAX_ENTRIES) return;
      entries.delete(oldest);
    }
  };

  return {
    get: async (key) => read(key),
    set: async (key, value, { ttlSeconds }) => write(key, value, ttlSeconds),
    delete: async (key) => void entries.delete(key),
    setIfAbsent: async (key, value, { ttlSeconds }) => {
      if (read(key) !== undefined) return false;
      write(key, value, ttlSeconds);
      return true;
    },
  };
}
