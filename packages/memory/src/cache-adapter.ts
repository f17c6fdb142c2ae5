/**
 * Values by key that end by themselves, kept where all processes find them: what `GoogleCacheRegistry` of `@jaf/google` takes
 * as its `store`. Keys and values are texts that hold no NUL, keys of 1,000 bytes at most. All four may reject, with whatever
 * the storage throws.
 */
export interface CacheAdapter {
  /** `undefined` where there is none, or where its time is up. */
  readonly get: (key: string) => Promise<string | undefined>;
  /** Whatever was there before, it has the value and the lifetime now. */
  readonly set: (key: string, value: string, lifetime: CacheLifetime) => Promise<void>;
  /** Nothing happens where there is none. */
  readonly delete: (key: string) => Promise<void>;
  /**
   * Whether the key was free, and has the value now. Where it wasn't, nothing changes. Of several that ask for one key at once,
   * in one process or in many, one gets `true`: so one of several workers does what all would do.
   */
  readonly setIfAbsent: (key: string, value: string, lifetime: CacheLifetime) => Promise<boolean>;
}

/** For how long a value is kept, counted from the call: a whole number of seconds from 1. */
export interface CacheLifetime {
  readonly ttlSeconds: number;
}
