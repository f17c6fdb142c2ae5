import * as z from "zod";
import { defineMemoryProvider } from "../backend/define-provider.ts";
import { parseOptions } from "../codec/checks.ts";
import { mayHoldTags } from "../codec/json.ts";
import { decodeMessage } from "../codec/messages.ts";
import {
  type ConversationQuery,
  type ConversationWrite,
  type MemoryBackend,
  TOMBSTONE_SECONDS,
  type Tombstones,
  tombstoneKey,
  type WriteOutcome,
} from "../contract/backend.ts";
import { createMemoryStorageError } from "../contract/errors.ts";
import type { VersionedMemoryProvider } from "../contract/versioned-provider.ts";
import { notifyObserver } from "../runtime/observer.ts";
import {
  createEntry,
  DIGESTS,
  digestOf,
  type Entry,
  expiryTime,
  isExpired,
  type StoreBody,
  selectConversations,
  statsOf,
  toHistory,
  toListed,
  toRead,
} from "./conversation.ts";
import { applyWrite, decideWrite } from "./write.ts";

/** The schema of {@link InMemoryConfig}. The two limits are whole numbers, at least 1. */
export const inMemoryConfigSchema = z.strictObject({
  /** The type of the backend, for `createMemoryProvider`. */
  type: z.literal("memory").default("memory"),
  /**
   * The maximum number of conversations, without children. If there are more, the conversation with the oldest activity
   * is evicted together with its children. Default 1,000.
   */
  maxConversations: z.int().min(1).default(1_000),
  /**
   * The maximum number of messages in a conversation. If an append exceeds this number, it drops the oldest messages,
   * but never separates a tool call from its results. Default 1,000.
   */
  maxMessagesPerConversation: z.int().min(1).default(1_000),
});

/** The configuration of the in-memory provider. All fields are optional. */
export type InMemoryConfig = z.input<typeof inMemoryConfigSchema>;
export type InMemoryLimits = z.output<typeof inMemoryConfigSchema>;

type EvictionListener = (conversationId: string) => void;

/** A provider that keeps conversations in this process's memory, and reports evicted conversations. */
export interface InMemoryProvider extends VersionedMemoryProvider {
  /**
   * Calls `listener` for each conversation that is evicted because of `maxConversations`. Returns a function that
   * removes the listener.
   */
  readonly on: (event: "conversation_evicted", listener: EvictionListener) => () => void;
}

interface BackendOptions {
  readonly limits: InMemoryLimits;
  readonly storeBody: StoreBody;
  readonly onEvicted: EvictionListener;
}

function createBackend({ limits, storeBody, onEvicted }: BackendOptions): MemoryBackend {
  /** All conversations, oldest activity first: each write moves its conversation to the end of the map. */
  const entries = new Map<string, Entry>();
  const idsByUser = new Map<string, Set<string>>();
  const childIds = new Map<string, Set<string>>();
  const tombstones = createTombstones();
  /** A time in ms since 1970 before which no conversation expires. */
  let nextExpiry = Number.POSITIVE_INFINITY;

  /** Removes the conversation and its descendants, each with what `onEach` does. */
  function remove(entry: Entry, onEach: (conversationId: string) => void = () => {}): void {
    entries.delete(entry.conversationId);
    removeFrom(idsByUser, entry.userId, entry.conversationId);
    removeFrom(childIds, entry.childOf, entry.conversationId);
    onEach(entry.conversationId);
    for (const child of liveOf(childIds.get(entry.conversationId) ?? [])) remove(child, onEach);
  }

  function put(entry: Entry): void {
    entries.delete(entry.conversationId);
    entries.set(entry.conversationId, entry);
    nextExpiry = Math.min(nextExpiry, expiryTime(entry));
    addTo(idsByUser, entry.userId, entry.conversationId);
    addTo(childIds, entry.childOf, entry.conversationId);
  }

  function childCount(): number {
    let count = 0;
    for (const ids of childIds.values()) count += ids.size;
    return count;
  }

  function live(conversationId: string): Entry | undefined {
    const entry = entries.get(conversationId);
    if (entry === undefined || !isExpired(entry, Date.now())) return entry;
    remove(entry);
    return undefined;
  }

  const liveOf = (ids: Iterable<string>): Entry[] =>
    [...ids].map(live).filter((entry): entry is Entry => entry !== undefined);

  const liveOfUser = (userId: string | undefined): Entry[] =>
    liveOf(userId === undefined ? entries.keys() : (idsByUser.get(userId) ?? []));

  function removeExpired(now: number): void {
    if (now < nextExpiry) return;
    nextExpiry = Number.POSITIVE_INFINITY;
    for (const entry of entries.values()) {
      if (isExpired(entry, now)) remove(entry);
      else nextExpiry = Math.min(nextExpiry, expiryTime(entry));
    }
  }

  function evict(): void {
    // Expired conversations are still in the map. Remove them first, so that no other conversation is evicted because
    // of them.
    if (entries.size > limits.maxConversations) removeExpired(Date.now());
    for (const entry of entries.values()) {
      if (entries.size - childCount() <= limits.maxConversations) return;
      // Children are evicted with their parents only.
      if (entry.childOf === undefined) remove(entry, onEvicted);
    }
  }

  function write(write: ConversationWrite): WriteOutcome {
    const entry = live(write.conversationId);
    const decided = decideWrite(entry, write, { tombstones: () => tombstones.get(write), parent: live });
    if (decided !== undefined) return decided;
    // A write of only metadata changes no messages, even if an import or a replacement has exceeded the limit.
    const appends = write.mode === "append" && write.messages.length > 0;
    const own = appends ? limits.maxMessagesPerConversation : Number.POSITIVE_INFINITY;
    const maxMessages = Math.min(own, write.maxMessages ?? Number.POSITIVE_INFINITY);
    const now = new Date();
    const written = entry ?? (write.create && createEntry(write, write.create.incarnation, now));
    if (written === undefined) return { status: "missing" };
    applyWrite(written, write, { now, maxMessages, storeBody });
    put(written);
    if (write.source !== undefined) placeByActivity(written);
    evict();
    const { version, nextPosition, messages } = written;
    const receipt = {
      version,
      nextPosition,
      totalMessages: messages.length,
      historyDigest: digestOf(written),
    };
    return { status: "written", receipt };
  }

  /** Moves an imported conversation to its place in the order of activity. */
  function placeByActivity({ conversationId, lastActivity }: Entry): void {
    const others = [...entries].filter(([id]) => id !== conversationId);
    const next = others.findIndex(([, other]) => other.lastActivity > lastActivity);
    if (next === -1) return;
    for (const [id, other] of others.slice(next)) {
      entries.delete(id);
      entries.set(id, other);
    }
  }

  const removeWithTombstones = (entry: Entry): void =>
    remove(entry, (conversationId) => tombstones.create("conversation", conversationId));

  const listedOfUser = (userId: string | undefined): Entry[] => liveOfUser(userId).filter(isListed);

  function candidatesFor({ conversationId, childrenOf, userId }: ConversationQuery): Entry[] {
    if (childrenOf === undefined)
      return conversationId === undefined ? listedOfUser(userId) : liveOf([conversationId]);
    // An expired parent is removed here, and its children with it.
    const children = live(childrenOf) === undefined ? [] : liveOf(childIds.get(childrenOf) ?? []);
    return conversationId === undefined
      ? children
      : children.filter((child) => child.conversationId === conversationId);
  }

  function find(query: ConversationQuery) {
    const candidates = candidatesFor(query);
    return selectConversations(candidates, query).map((entry) => toListed(entry, query.includeMessages));
  }

  return {
    name: "memory",
    write: async (conversationWrite) => write(conversationWrite),
    read: async ({ conversationId, messages, tombstones: asked, asksTime, ...rest }) => {
      const entry = live(conversationId);
      const time = asksTime === true ? { readAt: new Date() } : {};
      if (entry !== undefined) return { ...toRead(entry, messages, rest), ...time };
      if (asked === undefined) return { conversation: null, ...time };
      return { conversation: null, tombstones: tombstones.get({ conversationId, ...asked }), ...time };
    },
    history: {
      algorithm: DIGESTS,
      read: async (request) => {
        const entry = live(request.conversationId);
        return entry === undefined ? null : toHistory(entry, request);
      },
    },
    find: async (query) => find(query),
    delete: async (conversationId) => {
      const entry = live(conversationId);
      if (entry === undefined) tombstones.create("conversation", conversationId);
      else removeWithTombstones(entry);
      return entry !== undefined;
    },
    clearUser: async (userId) => {
      tombstones.create("user", userId);
      const owned = liveOfUser(userId);
      for (const entry of owned) removeWithTombstones(entry);
      return owned.filter(isListed).length;
    },
    stats: async (userId) =>
      statsOf(
        listedOfUser(userId).map(({ createdAt, messages }) => ({
          createdAt,
          totalMessages: messages.length,
        })),
      ),
    ping: async () => {},
    close: async () => {
      entries.clear();
      idsByUser.clear();
      childIds.clear();
      tombstones.clear();
    },
    toMemoryError: (operation, thrown) =>
      createMemoryStorageError(operation, "the in-memory store failed unexpectedly", {
        provider: "memory",
        cause: thrown,
      }),
  };
}

const isListed = ({ childOf }: Entry): boolean => childOf === undefined;

// All readers share the frozen message. A `Date`, bytes and a `URL` can't be frozen.
/** Converts a body into a frozen message. A body that may contain a `Date`, bytes or a `URL` stays text. */
const storeDecoded: StoreBody = (body, index) => (mayHoldTags(body) ? body : decodeMessage(body, index));

const storeText: StoreBody = (body) => body;

const parseLimits = (config: InMemoryConfig): InMemoryLimits =>
  parseOptions(inMemoryConfigSchema, config, "in-memory provider configuration");

/**
 * Creates the backend of {@link createInMemoryProvider}, for backend wrappers. The backend accepts any text as a
 * message's body. Throws a `TypeError` that names the invalid field if the configuration is invalid.
 */
export const createInMemoryBackend = (config: InMemoryConfig = {}): MemoryBackend =>
  createBackend({ limits: parseLimits(config), storeBody: storeText, onEvicted: () => {} });

/**
 * Creates a provider that keeps conversations in this process's memory. It is meant for development, tests and
 * short-lived work. A restart loses all conversations. Throws a `TypeError` that names the invalid field if the
 * configuration is invalid.
 *
 * @example
 * ```ts
 * import { createInMemoryProvider } from "@jaf/memory";
 *
 * const provider = createInMemoryProvider({ maxConversations: 10_000 });
 * provider.on("conversation_evicted", (conversationId) => console.warn("evicted", conversationId));
 * await provider.appendMessages(
 *   "conv-123",
 *   [{ role: "user", content: "Where is my order?" }],
 *   { userId: "user-456" },
 *   { createIfMissing: true },
 * );
 * ```
 */
export function createInMemoryProvider(config: InMemoryConfig = {}): InMemoryProvider {
  const listeners = new Set<EvictionListener>();
  const onEvicted = (conversationId: string) => {
    for (const listener of listeners) notifyObserver('to "conversation_evicted"', listener, conversationId);
  };
  const backend = createBackend({ limits: parseLimits(config), storeBody: storeDecoded, onEvicted });
  return {
    ...defineMemoryProvider(backend),
    on: (_event, listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

type IdsByKey = Map<string, Set<string>>;

function addTo(idsByKey: IdsByKey, key: string | undefined, id: string): void {
  if (key !== undefined) idsByKey.set(key, (idsByKey.get(key) ?? new Set()).add(id));
}

function removeFrom(idsByKey: IdsByKey, key: string | undefined, id: string): void {
  if (key === undefined) return;
  const ids = idsByKey.get(key);
  ids?.delete(id);
  if (ids?.size === 0) idsByKey.delete(key);
}

type TombstoneOwner = Pick<ConversationWrite, "conversationId" | "userId">;

interface TombstoneStore {
  /** Creates a tombstone. It replaces an earlier tombstone of this conversation or user. */
  readonly create: (kind: "conversation" | "user", id: string) => void;
  readonly get: (owner: TombstoneOwner) => Tombstones;
  readonly clear: () => void;
}

/** Creates the store of tombstones, which are kept by the hash of the erased id. */
function createTombstones(): TombstoneStore {
  // The map is in the order of creation, which is the order of expiry.
  const tombstones = new Map<string, { readonly id: string; readonly expiresAt: number }>();

  function removeExpired(now: number): void {
    for (const [key, { expiresAt }] of tombstones) {
      if (now < expiresAt) return;
      tombstones.delete(key);
    }
  }

  const idOf = (kind: "conversation" | "user", id: string): string | null => {
    const tombstone = tombstones.get(tombstoneKey(kind, id));
    return tombstone === undefined || Date.now() >= tombstone.expiresAt ? null : tombstone.id;
  };

  return {
    create: (kind: "conversation" | "user", id: string): void => {
      const now = Date.now();
      const key = tombstoneKey(kind, id);
      removeExpired(now);
      // First delete the old tombstone, so that the map stays in the order of expiry.
      tombstones.delete(key);
      tombstones.set(key, { id: crypto.randomUUID(), expiresAt: now + TOMBSTONE_SECONDS * 1_000 });
    },
    get: ({ conversationId, userId }: TombstoneOwner): Tombstones => ({
      conversation: idOf("conversation", conversationId),
      user: userId === undefined ? null : idOf("user", userId),
    }),
    clear: (): void => tombstones.clear(),
  };
}
