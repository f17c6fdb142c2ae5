const MINUTE_MS = 60_000;
/** Of so many users a process remembers what it did; of those that were longest ago, nothing. */
const MAX_USERS = 10_000;
/** Of a user, so many ids. */
const MAX_SHOWN = 500;

/** What these tools did lately, for each user. */
export interface Ledger {
  /** Counts a write. `false`: there were too many within the last minute. */
  readonly mayWrite: (userId: string) => boolean;
  readonly noteShown: (userId: string, factIds: readonly string[]) => void;
  readonly wasShown: (userId: string, factId: string) => boolean;
}

export function openLedger(writesPerMinute: number): Ledger {
  const writes = new Map<string, readonly number[]>();
  const shown = new Map<string, readonly string[]>();
  return {
    mayWrite: (userId) => {
      const now = performance.now();
      const recent = (writes.get(userId) ?? []).filter((at) => now - at < MINUTE_MS);
      if (recent.length >= writesPerMinute) return false;
      setNewest(writes, userId, [...recent, now]);
      return true;
    },
    noteShown: (userId, factIds) => {
      const all = new Set([...(shown.get(userId) ?? []), ...factIds]);
      setNewest(shown, userId, [...all].slice(-MAX_SHOWN));
    },
    wasShown: (userId, factId) => shown.get(userId)?.includes(factId) ?? false,
  };
}

function setNewest<T>(map: Map<string, T>, userId: string, value: T): void {
  map.delete(userId);
  map.set(userId, value);
  const [oldest] = map.keys();
  if (map.size > MAX_USERS && oldest !== undefined) map.delete(oldest);
}
