import { tombstoneKey } from "@jaf/memory/adapter";

/** How many indexes the list of all conversations consists of. */
// On a Cluster they are on different servers, so no single server gets all writes to the list.
const RECENCY_INDEXES = 16;

/** How the keys of indexes begin, after the prefix. */
// If a conversation id begins like this, its colon is percent-encoded. So a conversation's key never equals an index's
// key.
const RESERVED = /^(user|trace|recent):/;

const UNSAFE = /[%{}]|^(?:user|trace|recent):/;

// Makes a conversation id safe for a key. Braces would form a hash tag and put the conversation's keys into different
// Cluster slots.
function escapeId(id: string): string {
  if (!UNSAFE.test(id)) return id;
  return id
    .replaceAll(/[%{}]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(RESERVED, "$1%3A");
}

/** Returns the id that `escapeId` has made safe for a key. */
export const unescapeId = (escaped: string): string =>
  escaped.replaceAll(/%(25|7B|7D|3A)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Returns the FNV-1a hash of a text: a number of 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/**
 * The keys of one conversation, all in one Cluster slot. The Lua fragments `partKeys` and `childrenKey` build the same
 * keys.
 */
export interface ConversationKeys {
  readonly conversation: string;
  readonly messages: string;
  readonly idempotency: string;
  readonly traces: string;
  readonly ownIds: string;
  /** The index of the conversation's children. */
  readonly children: string;
}

/**
 * Returns functions that build the keys of conversations and of their indexes. A conversation's key is `<prefix><id>`,
 * where some characters of the id are percent-encoded.
 */
export function createKeys(prefix: string) {
  const conversationKey = (conversationId: string): string => prefix + escapeId(conversationId);
  // The conversation's key in braces is the hash tag of the other keys.
  const of = (conversationId: string): ConversationKeys => {
    const conversation = conversationKey(conversationId);
    return {
      conversation,
      messages: `${prefix}messages:{${conversation}}`,
      idempotency: `${prefix}keys:{${conversation}}`,
      traces: `${prefix}traces:{${conversation}}`,
      ownIds: `${prefix}ids:{${conversation}}`,
      children: `${prefix}children:{${conversation}}`,
    };
  };
  const userIndex = (userId: string): string => `${prefix}user:${userId}:conversations`;
  const recencyIndex = (conversationId: string): string =>
    `${prefix}recent:${hash(conversationId) % RECENCY_INDEXES}`;
  /** Returns the start of a new key that is in the same Cluster slot as `key`. */
  // The new key doesn't contain `key`, which may contain the id of a user or a conversation.
  const sameSlot = (kind: string, key: string): string => `${prefix}${kind}:{${hashTagOf(slotOf(key))}}`;
  return {
    prefix,
    /** Whether the prefix has a hash tag, which puts all keys into one Cluster slot. */
    inOneSlot: prefix.includes("{"),
    conversation: conversationKey,
    of,
    escapeId,
    /**
     * Returns the keys to pass to a script for one conversation. Without a Cluster, this is only the conversation's
     * key. On a Cluster, `others` are the further keys that the script uses.
     */
    ofScript: (
      conversationId: string,
      isCluster: boolean,
      others: readonly string[] = [],
    ): readonly [string, ...string[]] => {
      const { conversation, messages, idempotency, traces, ownIds } = of(conversationId);
      if (!isCluster) return [conversation];
      return [conversation, messages, idempotency, traces, ownIds, ...others];
    },
    userIndex,
    /** Returns the key of a conversation's tombstone. It is in the Cluster slot of the conversation. */
    conversationTombstone: (conversationId: string): string =>
      `${sameSlot("gone", of(conversationId).conversation)}:${tombstoneKey("conversation", conversationId)}`,
    /** Returns the key of a user's tombstone. It is in the Cluster slot of the user's index. */
    userTombstone: (userId: string): string =>
      `${sameSlot("gone", userIndex(userId))}:${tombstoneKey("user", userId)}`,
    /**
     * Returns the key of an index's import marker: the time when an import last added an entry to the index. All
     * indexes in a Cluster slot share one marker.
     */
    importMarker: (index: string): string => sameSlot("imported", index),
    traceIndex: (traceId: string): string => `${prefix}trace:${traceId}:conversations`,
    recencyIndex,
    /** Returns the key of the list of all conversations, or for a child the key of the list of its parent's children. */
    listOf: (conversationId: string, childOf: string | undefined): string =>
      childOf === undefined ? recencyIndex(conversationId) : of(childOf).children,
    recencyIndexes: Array.from({ length: RECENCY_INDEXES }, (_, part) => `${prefix}recent:${part}`),
  };
}

export type Keys = ReturnType<typeof createKeys>;

const SLOTS = 16_384;

/** The CRC-16/XMODEM checksum of each possible byte. */
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
 * Returns the part of a key that decides its Cluster slot: the text between the first `{` and the next `}`, or the
 * whole key.
 */
function hashed(key: string): string {
  const open = key.indexOf("{");
  const close = open === -1 ? -1 : key.indexOf("}", open);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

/** Returns the Cluster slot of a key: 0 to 16,383. */
export const slotOf = (key: string): number => crc16(Buffer.from(hashed(key))) % SLOTS;

const tags: string[] = [];
let tried = 0;

/**
 * Returns a text that, as a hash tag, puts a key into the given Cluster slot. It reveals nothing about a user's or a
 * conversation's id.
 */
export function hashTagOf(slot: number): string {
  let tag = tags[slot];
  while (tag === undefined) {
    const candidate = (tried++).toString(36);
    tags[slotOf(candidate)] ??= candidate;
    tag = tags[slot];
  }
  return tag;
}
