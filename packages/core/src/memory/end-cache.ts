import type { MemoryProvider, Message } from "@jaf/memory";
import { unref } from "@jaf/memory/engine";
import type { EndCacheOptions } from "./config.ts";
import type { StoreTime } from "./store-time.ts";

const DEFAULT_MAX_CONVERSATIONS = 1_000;
const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
/** No conversation takes more than this part of the bytes. */
const LARGEST_PART = 1 / 16;
/** What was read longer ago is read again: the store's clock may have been set, and what was erased shouldn't stay here. */
const MAX_AGE_MS = 5 * 60_000;
/** After an end was found outdated, the ends of at most this many turns of its conversation aren't kept. */
const MOST_SKIPPED = 16;

/** The end of a conversation as this process's last run left it, and what the store counts of it. */
export interface ConversationEnd {
  readonly userId: string | undefined;
  readonly incarnation: string;
  readonly version: number;
  /** `undefined` where it isn't certain. */
  readonly metadataVersion: number | undefined;
  readonly nextPosition: number;
  /** `undefined` where the store has dropped messages, or doesn't tell how many it has. */
  readonly totalMessages: number | undefined;
  /** The last messages. */
  readonly messages: readonly Message[];
  /** What the engine has noted. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** As the last reading told it. */
  readonly time: StoreTime;
}

/**
 * Ends of conversations that runs of this process have had the last turn of. Nothing but a store that agrees makes them
 * valid: each is used with the incarnation and the versions that it is of.
 */
export interface EndCache {
  /** Takes it out: it serves one run. */
  readonly take: (conversationId: string) => ConversationEnd | undefined;
  /** Keeps it, unless it is too large, or can't be kept as it is. */
  readonly keep: (conversationId: string, end: ConversationEnd) => void;
  /**
   * Somebody else has changed its messages. An end that turns out outdated costs a round trip, so that of the next turn isn't
   * kept. Each time in a row that this is called, the ends of twice as many turns aren't.
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
  /** Of how many more turns the end isn't kept. */
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

/** Out here, so that a timer keeps no cache whose provider is gone: there may be a provider for each request. */
const sweepIfThere = (sweep: WeakRef<Sweep>): void => sweep.deref()?.removeExpired();

function createEndCache(): (options: EndCacheOptions) => EndCache {
  // Those that were used longest ago come first.
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

  // So that what was erased, or expired, doesn't stay in the memory of a process that has nothing to do.
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
      // Negated, as it is NaN where something can't be kept.
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

/** About what plain data takes. NaN where it holds what the store gives each reader anew, e.g. bytes or a date. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return 2 * value.length;
  if (typeof value !== "object" || value === null) return 8;
  const isList = Array.isArray(value);
  if (!isList && Object.getPrototypeOf(value) !== Object.prototype) return Number.NaN;
  let bytes = 16;
  for (const key in value) {
    // Each message has the same few keys, which are there once.
    bytes += 8 + bytesOf((value as Readonly<Record<string, unknown>>)[key]);
  }
  return bytes;
}

type Listener = (conversationId: string, messages: readonly Message[]) => void;

const listeners = new WeakMap<MemoryProvider, Listener>();

/** Has the listener told of what is used in place of a reading. */
export const onRecall = (provider: MemoryProvider, listener: Listener): void =>
  void listeners.set(provider, listener);

export const tellRecall = (provider: MemoryProvider, ...told: Parameters<Listener>): void =>
  listeners.get(provider)?.(...told);
