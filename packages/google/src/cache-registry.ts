import type { CacheAdapter } from "@jaf/memory";
import { warn, withDeadline } from "@jaf/memory/internal";
import { ModelHttpError } from "@jaf/model-http";

/** Options of {@link GoogleCacheRegistry}. */
export interface GoogleCacheRegistryOptions {
  /** Stores the names of cached prompts. Default: a map in this process, which warns at its first use. */
  readonly store?: CacheAdapter | undefined;
  /** How many milliseconds a request waits for a cached prompt. Then it is sent without the cache. Default 10,000. */
  readonly maxWaitMs?: number | undefined;
  /** Receives the error if a prompt can't be cached: the store's, or a `GoogleError`. The run continues without the cache. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A prompt that can be cached. */
export interface CacheablePrompt {
  /** Identifies the resource's content and its owner. */
  readonly key: string;
  /** Creates the resource at Google. */
  readonly create: () => Promise<MadeResource>;
}

/** A new `cachedContents` resource. */
export interface MadeResource {
  /** The resource's name, e.g. `cachedContents/abc`. */
  readonly name: string;
  /** How many seconds the name can be used. */
  readonly ttlSeconds: number;
}

/** Values of a key without a resource. */
const BEING_MADE = "making";
const UNUSABLE = "unusable";
/** The value of a missing resource's own key. */
const GONE = "gone";
const isName = (value: string | undefined): value is string =>
  value !== undefined && value !== BEING_MADE && value !== UNUSABLE;

/** Longer than the timeout of the request that creates a resource. */
const CLAIM_SECONDS = 60;
/** How long not to retry a prompt that Google refuses, e.g. because it is too short. */
const REFUSED_SECONDS = 600;
const FAILED_SECONDS = 60;
const MAX_WAIT_MS = 10_000;

/**
 * Finds or creates the `cachedContents` resource of a prompt. Concurrent requests in this process, and all processes with
 * the same store, share one creation. While another process creates the resource, and for some time after a failed creation,
 * requests are sent without the cache.
 *
 * @example
 * ```ts
 * import { type CacheAdapter, createGoogleProvider, GoogleCacheRegistry } from "@jaf/google";
 *
 * declare const store: CacheAdapter; // e.g. a Redis client behind these four methods
 *
 * const cacheRegistry = new GoogleCacheRegistry({ store });
 * export const modelProvider = createGoogleProvider({ model: "gemini-3-pro-preview", cacheRegistry });
 * ```
 */
export class GoogleCacheRegistry {
  readonly #store: CacheAdapter;
  readonly #maxWaitMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #running = new Map<string, Promise<string | undefined>>();

  constructor({ store, maxWaitMs, onError }: GoogleCacheRegistryOptions = {}) {
    this.#store = store ?? createInProcessStore();
    this.#maxWaitMs = maxWaitMs ?? MAX_WAIT_MS;
    this.#onError = (error) => {
      try {
        onError?.(error);
      } catch {
        // A run must not fail because `onError` throws.
      }
    };
  }

  /** Returns the resource's name, or `undefined` to send the request without the cache. Never rejects. */
  async find(prompt: CacheablePrompt): Promise<string | undefined> {
    const running = this.#running.get(prompt.key) ?? this.#start(prompt);
    try {
      return await withDeadline(running, { timeoutMs: this.#maxWaitMs });
    } catch (thrown) {
      this.#onError(thrown);
      return undefined;
    }
  }

  /**
   * Removes a resource that Google no longer has. Keeps a newer one, or one that is being created. Never rejects.
   */
  forget({ key }: CacheablePrompt, name: string): Promise<void> {
    return this.#reportingErrors(async () => {
      // Only one of several workers deletes the name: a second one could delete the new name.
      if (!(await this.#store.setIfAbsent(`${key}:${name}`, GONE, { ttlSeconds: CLAIM_SECONDS }))) return;
      if ((await this.#store.get(key)) === name) await this.#store.delete(key);
    });
  }

  /** Marks the prompt as unusable, after requests worked only without its resource. Never rejects. */
  reject({ key }: CacheablePrompt): Promise<void> {
    return this.#reportingErrors(() => this.#store.set(key, UNUSABLE, { ttlSeconds: REFUSED_SECONDS }));
  }

  async #reportingErrors(act: () => Promise<void>): Promise<void> {
    try {
      await withDeadline(act(), { timeoutMs: this.#maxWaitMs });
    } catch (thrown) {
      this.#onError(thrown);
    }
  }

  #start(prompt: CacheablePrompt): Promise<string | undefined> {
    const started = this.#findOrMake(prompt).finally(() => this.#running.delete(prompt.key));
    this.#running.set(prompt.key, started);
    // The waiting requests may have timed out.
    started.catch(() => {});
    return started;
  }

  async #findOrMake({ key, create }: CacheablePrompt): Promise<string | undefined> {
    const known = await this.#store.get(key);
    if (known !== undefined) return isName(known) ? known : undefined;
    if (!(await this.#store.setIfAbsent(key, BEING_MADE, { ttlSeconds: CLAIM_SECONDS }))) {
      const other = await this.#store.get(key);
      return isName(other) ? other : undefined;
    }
    try {
      const { name, ttlSeconds } = await create();
      await this.#reportingErrors(() => this.#store.set(key, name, { ttlSeconds }));
      return name;
    } catch (thrown) {
      this.#onError(thrown);
      const isFinal = thrown instanceof ModelHttpError && !thrown.isRetryable;
      const ttlSeconds = isFinal ? REFUSED_SECONDS : FAILED_SECONDS;
      await this.#reportingErrors(() => this.#store.set(key, UNUSABLE, { ttlSeconds }));
      return undefined;
    }
  }
}

/** Far more than a process needs. The oldest entries are dropped. */
const MAX_ENTRIES = 1_000;

let isWarned = false;

function warnOnce(): void {
  if (isWarned) return;
  isWarned = true;
  warn(
    "The names of cached prompts are stored in this process only, so each process caches the same prompts again. " +
      "Pass GoogleCacheRegistry a store that all processes share.",
    { type: "JAFGoogleCacheWarning", code: "JAF_GOOGLE_CACHE_IN_PROCESS" },
  );
}

/** Creates a store in memory, for tests, development and single processes. Warns once per process, at the first use. */
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
