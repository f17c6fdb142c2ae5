/**
 * A cache of texts that all processes of an application share. Values expire. `GoogleCacheRegistry` of `@jaf/google`
 * takes a `CacheAdapter` as its `store`. Keys and values are strings without NUL; a key has at most 1,000 bytes. Each
 * method may reject with any error of the storage.
 */
export interface CacheAdapter {
  /** Returns the value of the key, or `undefined` if the key has no value or its value has expired. */
  readonly get: (key: string) => Promise<string | undefined>;
  /** Sets the value and the lifetime of the key. Replaces the existing value and lifetime. */
  readonly set: (key: string, value: string, lifetime: CacheLifetime) => Promise<void>;
  /** Deletes the value of the key. Does nothing if the key has no value. */
  readonly delete: (key: string) => Promise<void>;
  /**
   * Sets the value only if the key has no value. Returns `true` if this call set the value, otherwise `false`. If
   * several processes call this method at the same time for a key without a value, exactly one call returns `true`. So
   * one of several workers can claim a task.
   */
  readonly setIfAbsent: (key: string, value: string, lifetime: CacheLifetime) => Promise<boolean>;
}

/** How long a value is kept after the call that sets it: a whole number of seconds, at least 1. */
export interface CacheLifetime {
  readonly ttlSeconds: number;
}
