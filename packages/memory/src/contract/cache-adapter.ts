/**
 * A cache that all processes share, whose values expire: what `GoogleCacheRegistry` of `@jaf/google` takes as its `store`.
 * Keys and values are strings without NUL, keys of at most 1,000 bytes. Each method may reject with whatever the storage
 * throws.
 */
export interface CacheAdapter {
  /** `undefined` if there is none or it has expired. */
  readonly get: (key: string) => Promise<string | undefined>;
  /** Replaces the value and the lifetime. */
  readonly set: (key: string, value: string, lifetime: CacheLifetime) => Promise<void>;
  /** Does nothing if there is none. */
  readonly delete: (key: string) => Promise<void>;
  /**
   * Sets the value only if the key has none. Returns whether it did. Of several calls for one key at once, in one
   * process or in many, exactly one returns `true`: so one of several workers can claim a task.
   */
  readonly setIfAbsent: (key: string, value: string, lifetime: CacheLifetime) => Promise<boolean>;
}

/** How long a value is kept, from the call on: a whole number of seconds, at least 1. */
export interface CacheLifetime {
  readonly ttlSeconds: number;
}
