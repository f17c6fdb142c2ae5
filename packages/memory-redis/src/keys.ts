import { tombstoneKey } from "@jaf/memory/adapter";

/** In how many parts the list of all conversations is kept, so that a Cluster spreads the writes to it. */
const RECENCY_INDEXES = 16;

/** No conversation's key begins like an index's. */
const RESERVED = /^(user|trace|recent):/;

const UNSAFE = /[%{}]|^(?:user|trace|recent):/;

// Braces would be a hash tag, and make the slot of one key differ from that of the others.
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

/** Keys of one conversation, all in one slot. `partKeys` of `conversations/scripts/fragments.ts` makes the same. */
export interface ConversationKeys {
  readonly conversation: string;
  readonly messages: string;
  readonly idempotency: string;
  readonly traces: string;
  readonly ownIds: string;
}

/**
 * How keys are named. A conversation's is `<prefix><id>`, in which `%`, `{` and `}` of the id, and the colon of one that
 * begins with `user:`, `trace:` or `recent:`, are percent-encoded; the keys of its parts have it as their hash tag.
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
  /** The start of a key in the same slot as another key, without containing it. */
  const sameSlot = (kind: string, key: string): string => `${prefix}${kind}:{${hashTagOf(slotOf(key))}}`;
  return {
    prefix,
    /** Where all keys are in one slot, since the prefix has a hash tag. */
    inOneSlot: prefix.includes("{"),
    of,
    /** The keys of a script that works on a conversation, and maybe on its tombstone. */
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
    /** Holds when an entry with a past time was last made in an index of the same slot: see `markImport` of `conversations/scripts/fragments.ts`. */
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

/** What is hashed of a key: what stands between its first `{` and the next `}`, unless that is nothing. */
function hashed(key: string): string {
  const open = key.indexOf("{");
  const close = open === -1 ? -1 : key.indexOf("}", open);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

/** The slot of a Cluster that a key is in. */
export const slotOf = (key: string): number => crc16(Buffer.from(hashed(key))) % SLOTS;

const tags: string[] = [];
let tried = 0;

/** A hash tag of that slot, always the same, so that it reveals nothing about the key. */
export function hashTagOf(slot: number): string {
  let tag = tags[slot];
  while (tag === undefined) {
    const candidate = (tried++).toString(36);
    tags[slotOf(candidate)] ??= candidate;
    tag = tags[slot];
  }
  return tag;
}
