/**
 * Where a {@link GoogleCacheRegistry} keeps the names of cached prompts, e.g. Redis, shared by all workers. It holds no
 * prompt: keys are SHA-256 sums, values the names of Google's resources. All four may reject; a run then goes on uncached.
 */
export interface CacheAdapter {
  /** `undefined` where there is none, or where its time is up. */
  readonly get: (key: string) => Promise<string | undefined>;
  /** Whatever was there before. `ttlSeconds`: for how long, a whole number from 1. */
  readonly set: (key: string, value: string, options: CacheLifetime) => Promise<void>;
  /** Nothing happens where there is none. */
  readonly delete: (key: string) => Promise<void>;
  /**
   * Whether the key was free, and has the value now. Of several that ask for one key at once, one gets `true`: so one of
   * several workers makes a resource.
   */
  readonly setIfAbsent: (key: string, value: string, options: CacheLifetime) => Promise<boolean>;
}

export interface CacheLifetime {
  readonly ttlSeconds: number;
}
