import { describe, expect, it } from "vitest";
import type { CacheAdapter } from "../contract/cache-adapter.ts";
import { storableIds } from "./fixtures/hostile-ids.ts";
import { reportCalls } from "./kit/calls.ts";

/** A cache for one test. It is empty at first, and no other test uses it. */
export interface TestCache {
  readonly cache: CacheAdapter;
  /**
   * Connects another cache to the same storage. It must share nothing with `cache` in this process (e.g. no
   * connection). Absent: the storage only exists in one process.
   */
  readonly connect?: () => Promise<CacheAdapter>;
  /** Removes the storage. Called after the test. */
  readonly dispose: () => Promise<void>;
}

/** What `describeCacheAdapterConformance` needs to test a cache. */
export interface CacheAdapterHarness {
  /** The cache's name in the titles of the tests (e.g. `"redis"`). */
  readonly name: string;
  /** Creates a cache in a new, empty namespace. Several caches may be in use at the same time. */
  readonly createCache: () => Promise<TestCache>;
  /** The maximum duration of one test, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

/** Two caches on the same storage. They are the same object if the storage only exists in one process. */
interface Caches {
  readonly cache: CacheAdapter;
  readonly other: CacheAdapter;
}

type Rules = Readonly<Record<string, (caches: Caches) => Promise<void>>>;

const LONG = { ttlSeconds: 100 };
const SHORT = { ttlSeconds: 1 };
const KEYS: readonly string[] = [...storableIds, "", "x".repeat(1_000)];

/** Waits until the key has no value. */
const ended = async (cache: CacheAdapter, key: string): Promise<void> => {
  // `expect.poll` can't be used in concurrent tests.
  for (const giveUpAt = Date.now() + 5_000; Date.now() < giveUpAt; ) {
    if ((await cache.get(key)) === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect.fail(`"${key}" is still there`);
};

const valueRules: Rules = {
  "is empty at first, with nothing to delete": async ({ cache }) => {
    expect(await cache.get("k")).toBeUndefined();
    await cache.delete("k");
  },
  "keeps each key apart from the others": async ({ cache, other }) => {
    for (const [at, key] of KEYS.entries()) await cache.set(key, `v${at}`, LONG);
    for (const [at, key] of KEYS.entries()) expect(await other.get(key), key).toBe(`v${at}`);
  },
  "returns a value as it was set": async ({ cache, other }) => {
    for (const value of [...storableIds, "", "\ufeffmarked", "x".repeat(100_000)]) {
      await cache.set("k", value, LONG);
      expect(await other.get("k")).toBe(value);
    }
  },
  "replaces an existing value": async ({ cache, other }) => {
    await cache.set("k", "1", LONG);
    await other.set("k", "2", LONG);
    expect(await cache.get("k")).toBe("2");
  },
  "deletes only that key": async ({ cache, other }) => {
    await cache.set("k", "1", LONG);
    await cache.set("kk", "2", LONG);
    await other.delete("k");
    await cache.delete("k");
    expect([await cache.get("k"), await other.get("kk")]).toEqual([undefined, "2"]);
  },
};

const lifetimeRules: Rules = {
  "ends automatically": async ({ cache, other }) => {
    await cache.set("k", "1", SHORT);
    await cache.set("l", "2", LONG);
    expect(await other.get("k")).toBe("1");
    await ended(other, "k");
    expect(await cache.get("l")).toBe("2");
  },
  "counts from the last set, with its lifetime": async ({ cache }) => {
    await cache.set("longer", "1", SHORT);
    await cache.set("longer", "2", LONG);
    await cache.set("shorter", "1", LONG);
    await cache.set("shorter", "2", SHORT);
    await ended(cache, "shorter");
    expect(await cache.get("longer")).toBe("2");
  },
  "isn't extended by a refused claim": async ({ cache, other }) => {
    await cache.set("k", "1", SHORT);
    expect(await other.setIfAbsent("k", "2", LONG)).toBe(false);
    await ended(cache, "k");
  },
};

const claimRules: Rules = {
  "lets one of many claim a key": async ({ cache, other }) => {
    for (let round = 0; round < 10; round++) {
      const key = `k${round}`;
      const claims = Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? cache : other).setIfAbsent(key, `${at}`, LONG),
      );
      const won = (await Promise.all(claims)).flatMap((isWon, at) => (isWon ? [`${at}`] : []));
      expect(won).toHaveLength(1);
      expect(await cache.get(key)).toBe(won[0]);
      expect(await other.setIfAbsent(key, "late", LONG)).toBe(false);
      expect(await other.get(key)).toBe(won[0]);
    }
  },
  "lets one of many claim an expired key": async ({ cache, other }) => {
    await cache.set("k", "old", SHORT);
    await ended(cache, "k");
    const claims = Array.from({ length: 20 }, (_, at) =>
      (at % 2 === 0 ? cache : other).setIfAbsent("k", `${at}`, LONG),
    );
    const won = (await Promise.all(claims)).flatMap((isWon, at) => (isWon ? [`${at}`] : []));
    expect(won).toHaveLength(1);
    expect(await cache.get("k")).toBe(won[0]);
  },
  "lets a deleted key be claimed": async ({ cache, other }) => {
    await cache.set("k", "1", LONG);
    await cache.delete("k");
    expect(await other.setIfAbsent("k", "2", LONG)).toBe(true);
    expect(await cache.get("k")).toBe("2");
  },
  "ends a claim automatically, too": async ({ cache, other }) => {
    expect(await cache.setIfAbsent("k", "1", SHORT)).toBe(true);
    expect(await other.setIfAbsent("k", "2", SHORT)).toBe(false);
    await ended(other, "k");
    expect(await other.setIfAbsent("k", "3", SHORT)).toBe(true);
  },
};

const SUBJECTS = { values: valueRules, lifetimes: lifetimeRules, claims: claimRules };

/**
 * Declares the tests that check whether a `CacheAdapter` follows its rules. Call this function at the top level of a
 * vitest file.
 *
 * @example
 * ```ts
 * import type { CacheAdapter } from "@jaf/memory";
 * import { describeCacheAdapterConformance } from "@jaf/memory/testing";
 *
 * declare function createMyCache(options: { prefix: string }): CacheAdapter;
 *
 * describeCacheAdapterConformance({
 *   name: "my cache",
 *   createCache: async () => {
 *     const cache = createMyCache({ prefix: crypto.randomUUID() });
 *     return { cache, dispose: async () => {} };
 *   },
 * });
 * ```
 */
export function describeCacheAdapterConformance(harness: CacheAdapterHarness): void {
  const { name, createCache, timeoutMs = 30_000 } = harness;
  describe(`CacheAdapter: ${name}`, () => {
    for (const [subject, rules] of Object.entries(SUBJECTS)) {
      describe(subject, () => {
        for (const [title, check] of Object.entries(rules)) {
          it(title, { timeout: timeoutMs, concurrent: true }, async () => {
            const { cache, connect, dispose } = await createCache();
            try {
              const other = (await connect?.()) ?? cache;
              await reportCalls((recorded) =>
                check({ cache: recorded(cache), other: recorded(other, "other.") }),
              );
            } finally {
              await dispose();
            }
          });
        }
      });
    }
  });
}
