import type { MemoryProvider, Message } from "@jaf/memory";
import type { EndCacheOptions } from "./config.ts";
import type { StoreTime } from "./store-time.ts";

const DEFAULT_MAX_CONVERSATIONS = 1_000;
const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
/** No conversation takes more than this part of the bytes. */
const LARGEST_PART = 1 / 16;
/** What was read longer ago is read again: the store's clock may have been set, and what was erased shouldn't stay here. */
const MAX_AGE_MS = 5 * 60_000;
/** For so long a conversation is read each time in which another process was found to take turns. */
const SHARED_MS = 10_000;

/** The end of a conversation as this process's last run left it, and what the store counts of it. */
export interface ConversationEnd {
  readonly userId: string | undefined;
  readonly incarnation: string;
  readonly version: number;
  /** `undefined` where it isn't certain. */
  readonly metadataVersion: number | undefined;
  readonly nextPosition: number;
  /** `undefined` where the run's own writes may have made the store drop messages. */
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
  /** Another process has changed its messages: for a while nothing is kept, since to find it outdated costs a round trip. */
  readonly foundShared: (conversationId: string) => void;
}

type Entry =
  | { readonly end: ConversationEnd; readonly bytes: number; readonly expiresAt: number }
  | { readonly end: undefined; readonly bytes: number; readonly expiresAt: number };

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

function createEndCache(): (options: EndCacheOptions) => EndCache {
  // Those that were used longest ago come first.
  const entries = new Map<string, Entry>();
  let bytes = 0;
  let sweep: NodeJS.Timeout | undefined;

  function remove(conversationId: string): Entry | undefined {
    const entry = entries.get(conversationId);
    if (entry === undefined) return undefined;
    entries.delete(conversationId);
    bytes -= entry.bytes;
    return entry.expiresAt > performance.now() ? entry : undefined;
  }

  function removeExpired(): void {
    sweep = undefined;
    const now = performance.now();
    for (const [conversationId, { expiresAt }] of entries) if (expiresAt <= now) remove(conversationId);
    if (entries.size > 0) sweepLater();
  }

  // So that what was erased, or expired, doesn't stay in the memory of a process that has nothing to do.
  function sweepLater(): void {
    if (sweep === undefined) sweep = setTimeout(removeExpired, MAX_AGE_MS).unref();
  }

  function add(conversationId: string, entry: Entry, most: Required<EndCacheOptions>): void {
    remove(conversationId);
    entries.set(conversationId, entry);
    bytes += entry.bytes;
    for (const oldest of entries.keys()) {
      if (entries.size <= most.maxConversations && bytes <= most.maxBytes) break;
      remove(oldest);
    }
    sweepLater();
  }

  return ({ maxConversations = DEFAULT_MAX_CONVERSATIONS, maxBytes = DEFAULT_MAX_BYTES }) => {
    const most = { maxConversations, maxBytes };
    const isShared = (conversationId: string): boolean => {
      const entry = entries.get(conversationId);
      return entry !== undefined && entry.end === undefined && entry.expiresAt > performance.now();
    };
    return {
      take: (conversationId) => (isShared(conversationId) ? undefined : remove(conversationId)?.end),
      keep: (conversationId, end) => {
        if (isShared(conversationId)) return;
        const size = bytesOf(end.messages) + bytesOf(end.metadata) + ENTRY_BYTES;
        const expiresAt = end.time.answeredAt + MAX_AGE_MS;
        // Negated, as it is NaN where something can't be kept.
        if (!(size <= maxBytes * LARGEST_PART) || expiresAt <= performance.now()) remove(conversationId);
        else add(conversationId, { end, bytes: size, expiresAt }, most);
      },
      foundShared: (conversationId) => {
        const expiresAt = performance.now() + SHARED_MS;
        add(conversationId, { end: undefined, bytes: ENTRY_BYTES, expiresAt }, most);
      },
    };
  };
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
