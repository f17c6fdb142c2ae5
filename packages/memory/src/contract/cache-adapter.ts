/**
 * A cache that all processes share, with values that expire. `GoogleCacheRegistry` of `@jaf/google` takes one as its
 * `store`. Keys and values are strings without NUL; keys have at most 1,000 bytes. Each method may reject with any
 * error of the storage.
 */
export interface CacheAdapter {
  /** Returns `undefined` if the key has no value or it has expired. */
  readonly get: (key: string) => Promise<string | undefined>;
  /** Sets the value and the lifetime, and replaces existing ones. */
  readonly set: (key: string, value: string, lifetime: CacheLifetime) => Promise<void>;
  /** Does nothing if the key has no value. */
  readonly delete: (key: string) => Promise<void>;
  /**
   * Sets the value only if the key has none. Returns whether it did. If several calls set the same key at the same
   * time, in one process or in many, exactly one returns `true`. One of several workers can claim a task this way.
   */
  readonly setIfAbsent: (key: string, value: string, lifetime: CacheLifetime) => Promise<boolean>;
}

/** How long a value is kept after the call: a whole number of seconds, at least 1. */
export interface CacheLifetime {
  readonly ttlSeconds: number;
}
