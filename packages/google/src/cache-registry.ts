import type { CacheAdapter } from "@jaf/memory";
import { warn, withDeadline } from "@jaf/memory/internal";
import { ModelHttpError } from "@jaf/model-http";

export interface GoogleCacheRegistryOptions {
  /** Default: a map in this process, which warns when it is first used. */
  readonly store?: CacheAdapter | undefined;
  /** For how long a request waits for a cached prompt, in milliseconds, before it goes out without; default 10,000. */
  readonly maxWaitMs?: number | undefined;
  /** Told why a prompt isn't cached: what the store threw, or a `GoogleError` of the service. The run goes on uncached. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A prompt that may be cached, and how. */
export interface CacheablePrompt {
  /** Of everything that the resource is made of, and of whose it is. */
  readonly key: string;
  /** Makes the resource at Google. */
  readonly create: () => Promise<MadeResource>;
}

export interface MadeResource {
  /** E.g. `cachedContents/abc`. */
  readonly name: string;
  /** For how long it may be named. */
  readonly ttlSeconds: number;
}

/** What a key holds in place of a name. */
const BEING_MADE = "making";
const UNUSABLE = "unusable";
/** What the key of a resource that isn't there any more holds. */
const GONE = "gone";
const isName = (value: string | undefined): value is string =>
  value !== undefined && value !== BEING_MADE && value !== UNUSABLE;

/** Longer than a request to make one may take. */
const CLAIM_SECONDS = 60;
/** A prompt that Google refuses, e.g. one that is too short, is refused again. */
const REFUSED_SECONDS = 600;
const FAILED_SECONDS = 60;
const MAX_WAIT_MS = 10_000;

/**
 * Finds the `cachedContents` resource of a prompt, or has one made: once for all who ask at the same time in this process,
 * and once for all processes with the same store. While another process makes it, and for a while after it couldn't be
 * made, requests go out without.
 *
 * @example
 * const cacheRegistry = new GoogleCacheRegistry({ store: myCacheAdapter });
 * const modelProvider = createGoogleProvider({ model: "gemini-3-pro-preview", cacheRegistry });
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
        // A run must not fail for who is told of it.
      }
    };
  }

  /** The resource's name; `undefined` where the request is to go out without. Never rejects. */
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
   * The resource isn't there any more. Another one that was made meanwhile, or is being made, stays. Never rejects.
   */
  forget({ key }: CacheablePrompt, name: string): Promise<void> {
    return this.#reportingErrors(async () => {
      // Of the workers that find it gone, one deletes its name: a second might delete what the first has put there since.
      if (!(await this.#store.setIfAbsent(`${key}:${name}`, GONE, { ttlSeconds: CLAIM_SECONDS }))) return;
      if ((await this.#store.get(key)) === name) await this.#store.delete(key);
    });
  }

  /** Requests without the resource work, and those with it don't. Never rejects. */
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
    // Who waits for it may have given up.
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
