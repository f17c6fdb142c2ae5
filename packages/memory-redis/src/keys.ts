import { tombstoneKey } from "@jaf/memory/adapter";

/** The number of parts of the list of all conversations. Parts spread its writes over a Cluster. */
const RECENCY_INDEXES = 16;

/** A conversation's key never begins like an index's. */
const RESERVED = /^(user|trace|recent):/;

const UNSAFE = /[%{}]|^(?:user|trace|recent):/;

// Braces would form a hash tag and put the conversation's keys into different slots.
function escapeId(id: string): string {
  if (!UNSAFE.test(id)) return id;
  return id
    .replaceAll(/[%{}]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(RESERVED, "$1%3A");
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/**
 * The keys of one conversation, all in one slot. `partKeys` in `conversations/scripts/fragments.ts` builds the same
 * keys.
 */
export interface ConversationKeys {
  readonly conversation: string;
  readonly messages: string;
  readonly idempotency: string;
  readonly traces: string;
  readonly ownIds: string;
}

/**
 * Names all keys. A conversation's key is `<prefix><id>`. In the id, `%`, `{` and `}` are percent-encoded, and so is
 * the colon of an id that begins with `user:`, `trace:` or `recent:`. The keys of its parts have it as their hash tag.
 */
export function createKeys(prefix: string) {
  const of = (conversationId: string): ConversationKeys => {
    const conversation = prefix + escapeId(conversationId);
    return {
      conversation,
      messages: `${prefix}messages:{${conversation}}`,
      idempotency: `${prefix}keys:{${conversation}}`,
      traces: `${prefix}traces:{${conversation}}`,
      ownIds: `${prefix}ids:{${conversation}}`,
    };
  };
  const userIndex = (userId: string): string => `${prefix}user:${userId}:conversations`;
  /** Returns the start of a key in the same slot as `key`, without containing it. */
  const sameSlot = (kind: string, key: string): string => `${prefix}${kind}:{${hashTagOf(slotOf(key))}}`;
  return {
    prefix,
    /** True if the prefix has a hash tag, which puts all keys into one slot. */
    inOneSlot: prefix.includes("{"),
    of,
    /** The keys of a script for a conversation and, optionally, its tombstone. */
    ofScript: (
      conversationId: string,
      isCluster: boolean,
      tombstone?: string,
    ): readonly [string, ...string[]] => {
      const { conversation, messages, idempotency, traces, ownIds } = of(conversationId);
      if (!isCluster) return [conversation];
      const parts = [messages, idempotency, traces, ownIds];
      return [conversation, ...parts, ...(tombstone === undefined ? [] : [tombstone])];
    },
    userIndex,
    /** In the slot of the conversation. */
    conversationTombstone: (conversationId: string): string =>
      `${sameSlot("gone", of(conversationId).conversation)}:${tombstoneKey("conversation", conversationId)}`,
    /** In the slot of the user's index. */
    userTombstone: (userId: string): string =>
      `${sameSlot("gone", userIndex(userId))}:${tombstoneKey("user", userId)}`,
    /**
     * Stores when an index of the same slot last got an entry with a past time: see `markImport` in
     * `conversations/scripts/fragments.ts`.
     */
    importMarker: (index: string): string => sameSlot("imported", index),
    traceIndex: (traceId: string): string => `${prefix}trace:${traceId}:conversations`,
    recencyIndex: (conversationId: string): string =>
      `${prefix}recent:${hash(conversationId) % RECENCY_INDEXES}`,
    recencyIndexes: Array.from({ length: RECENCY_INDEXES }, (_, part) => `${prefix}recent:${part}`),
  };
}

export type Keys = ReturnType<typeof createKeys>;

const SLOTS = 16_384;

/** CRC-16/XMODEM of each byte. */
const CRC16 = Uint16Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 8;
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value & 0x8000 ? 0x1021 : 0);
  return value;
});

function crc16(bytes: Uint8Array): number {
  const table = CRC16;
  let value = 0;
  for (const byte of bytes) value = ((value << 8) & 0xffff) ^ (table[(value >> 8) ^ byte] ?? 0);
  return value;
}

/**
 * Returns the part of a key that Redis hashes: the text between the first `{` and the next `}`, or the whole key if
 * that text is empty or missing.
 */
function hashed(key: string): string {
  const open = key.indexOf("{");
  const close = open === -1 ? -1 : key.indexOf("}", open);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

/** Returns the Cluster slot of a key. */
export const slotOf = (key: string): number => crc16(Buffer.from(hashed(key))) % SLOTS;

const tags: string[] = [];
let tried = 0;

/** Returns a hash tag for a slot. It is always the same, so it reveals nothing about the key. */
export function hashTagOf(slot: number): string {
  let tag = tags[slot];
  while (tag === undefined) {
    const candidate = (tried++).toString(36);
    tags[slotOf(candidate)] ??= candidate;
    tag = tags[slot];
  }
  return tag;
}
