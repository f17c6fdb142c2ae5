const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Of `CacheableConfig.ttl`, which the engine has checked, e.g. `"30m"`. Default: an hour. */
export function durationSeconds(ttl = "1h"): number {
  return Number(ttl.slice(0, -1)) * (UNIT_SECONDS[ttl.slice(-1)] ?? 0);
}
