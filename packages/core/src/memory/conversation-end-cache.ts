import type { MemoryProvider, Message } from "@jaf/memory";
import { unref } from "@jaf/memory/engine";
import type { EndCacheOptions } from "./config.ts";
import type { StoreTime } from "./store-time.ts";

const DEFAULT_MAX_CONVERSATIONS = 1_000;
const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
/** The largest share of the bytes that one conversation may take. */
const LARGEST_PART = 1 / 16;
/** After this time an end is read again: the store's clock may have been set, and erased messages shouldn't stay in memory. */
const MAX_AGE_MS = 5 * 60_000;
/** After an end was found outdated, at most this many further turns of its conversation aren't cached. */
const MOST_SKIPPED = 16;

/** The last messages of a conversation as this process's last run left it, and the store's counts. */
export interface ConversationEnd {
  readonly userId: string | undefined;
  readonly incarnation: string;
  readonly version: number;
  /** `undefined` where it isn't known for certain. */
  readonly metadataVersion: number | undefined;
  readonly nextPosition: number;
  /** `undefined` where the store has dropped messages, or doesn't tell how many it has. */
  readonly totalMessages: number | undefined;
  /** The last messages. */
  readonly messages: readonly Message[];
  /** What the engine has stored in the metadata. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** As the last reading told it. */
  readonly time: StoreTime;
}

/**
 * The ends of conversations whose last turn was a run's of this process. Each is kept with the incarnation and the versions
 * that it belongs to, and counts only if the store still has these.
 */
export interface EndCache {
  /** Removes the end and returns it: only one run may use it. */
  readonly take: (conversationId: string) => ConversationEnd | undefined;
  /** Keeps the end, unless it is too large or holds values that can't be kept. */
  readonly keep: (conversationId: string, end: ConversationEnd) => void;
  /**
   * To be called when somebody else has changed the messages. An outdated end costs a round trip, so the end of the next turn
   * isn't kept. With each such call in a row, twice as many turns aren't kept.
   */
  readonly foundOutdated: (conversationId: string) => void;
}

interface Entry {
  readonly end: ConversationEnd | undefined;
  readonly bytes: number;
  readonly expiresAt: number;
  /** Whether a run has it, and hasn't found it outdated. */
  readonly isTaken: boolean;
  /** How often in a row it was found outdated. */
  readonly outdated: number;
  /** For how many more turns the end isn't kept. */
  readonly skips: number;
}

/** What an entry takes beside its messages. */
const ENTRY_BYTES = 500;

const caches = new WeakMap<MemoryProvider, ReturnType<typeof createEndCache>>();

/** `undefined` where it is switched off. */
export function endCacheOf(
  provider: MemoryProvider,
  options: false | EndCacheOptions = {},
): EndCache | undefined {
  if (options === false) return undefined;
  const cache = caches.get(provider) ?? createEndCache();
  caches.set(provider, cache);
  return cache(options);
}

interface Sweep {
  readonly removeExpired: () => void;
}

/** A function of its own, so that a timer holds no cache whose provider is gone: there may be one provider per request. */
const sweepIfThere = (sweep: WeakRef<Sweep>): void => sweep.deref()?.removeExpired();

function createEndCache(): (options: EndCacheOptions) => EndCache {
  // The least recently used come first.
  const entries = new Map<string, Entry>();
  let bytes = 0;
  let isSweepDue = false;

  function remove(conversationId: string): Entry | undefined {
    const entry = entries.get(conversationId);
    if (entry === undefined) return undefined;
    entries.delete(conversationId);
    bytes -= entry.bytes;
    return entry.expiresAt > performance.now() ? entry : undefined;
  }

  const sweep: Sweep = {
    removeExpired: () => {
      isSweepDue = false;
      const now = performance.now();
      for (const [conversationId, { expiresAt }] of entries) if (expiresAt <= now) remove(conversationId);
      if (entries.size > 0) sweepLater();
    },
  };

  // So that erased or expired messages don't stay in the memory of an idle process.
  function sweepLater(): void {
    if (isSweepDue) return;
    isSweepDue = true;
    unref(setTimeout(sweepIfThere, MAX_AGE_MS, new WeakRef(sweep)));
  }

  function put(conversationId: string, entry: Omit<Entry, "bytes" | "expiresAt">, size = 0): void {
    const expiresAt = (entry.end?.time.answeredAt ?? performance.now()) + MAX_AGE_MS;
    entries.set(conversationId, Object.assign({}, entry, { bytes: size + ENTRY_BYTES, expiresAt }));
    bytes += size + ENTRY_BYTES;
    sweepLater();
  }

  return ({ maxConversations = DEFAULT_MAX_CONVERSATIONS, maxBytes = DEFAULT_MAX_BYTES }) => ({
    take: (conversationId) => {
      const entry = remove(conversationId);
      if (entry === undefined) return undefined;
      put(conversationId, { ...entry, end: undefined, isTaken: entry.end !== undefined });
      return entry.end;
    },
    keep: (conversationId, end) => {
      const { isTaken = false, outdated = 0, skips = 0 } = remove(conversationId) ?? {};
      if (skips > 0) {
        put(conversationId, { end: undefined, isTaken: false, outdated, skips: skips - 1 });
        return;
      }
      const size = bytesOf(end.messages) + bytesOf(end.metadata);
      // Negated, because the size is NaN where something can't be kept.
      if (!(size <= maxBytes * LARGEST_PART)) return;
      put(conversationId, { end, isTaken: false, outdated: isTaken ? 0 : outdated, skips }, size);
      for (const oldest of entries.keys()) {
        if (entries.size <= maxConversations && bytes <= maxBytes) break;
        remove(oldest);
      }
    },
    foundOutdated: (conversationId) => {
      const outdated = (remove(conversationId)?.outdated ?? 0) + 1;
      const skips = Math.min(2 ** (outdated - 1), MOST_SKIPPED);
      put(conversationId, { end: undefined, isTaken: false, outdated, skips });
    },
  });
}

/** The approximate size of plain data. NaN where it holds anything else, e.g. bytes or a date, which each reader must get as a copy. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return 2 * value.length;
  if (typeof value !== "object" || value === null) return 8;
  const isList = Array.isArray(value);
  if (!isList && Object.getPrototypeOf(value) !== Object.prototype) return Number.NaN;
  let bytes = 16;
  for (const key in value) {
    // The keys are the same in all messages and stored once.
    bytes += 8 + bytesOf((value as Readonly<Record<string, unknown>>)[key]);
  }
  return bytes;
}

type Listener = (conversationId: string, messages: readonly Message[]) => void;

const listeners = new WeakMap<MemoryProvider, Listener>();

/** Calls the listener with the messages whenever a cached end is used in place of a reading. */
export const onCacheRead = (provider: MemoryProvider, listener: Listener): void =>
  void listeners.set(provider, listener);

export const notifyCacheRead = (provider: MemoryProvider, ...told: Parameters<Listener>): void =>
  listeners.get(provider)?.(...told);
