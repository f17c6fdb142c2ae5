import { createKeyedQueue } from "../async/keyed-queue.ts";
import { IDEMPOTENCY_WINDOW } from "../backend/backend.ts";
import type { JsonObject } from "../codec/json.ts";
import type { MemoryProvider } from "../provider.ts";

const MAX_CONVERSATIONS = 2_000;

/** What became of a write with an idempotency key: it is done, or an append threw when this many messages were there. */
export type KeyNote =
  | { readonly bodyHash: string; readonly status: "written" }
  | { readonly bodyHash: string; readonly status: "open"; readonly before: number };

/** What this process knows of a conversation beyond its messages. */
export interface Notes {
  readonly keys: Map<string, KeyNote>;
  metadata: JsonObject;
  userId: string | undefined;
  lastActivity: Date | undefined;
  version: number;
  /** How many messages `load` returned at that version; `undefined` after a write. */
  visible: number | undefined;
}

export interface StoreState {
  /** Reads and writes of one conversation take turns. */
  readonly inTurn: <T>(conversationId: string, task: () => Promise<T>) => Promise<T>;
  /** Those of before are forgotten where somebody else owns the conversation now. `owner`: as far as it is known. */
  readonly notesOf: (conversationId: string, owner: string | undefined) => Notes;
  /** Without making any. */
  readonly peek: (conversationId: string) => Notes | undefined;
  readonly forget: (conversationId: string) => void;
  /** By whom they are for. */
  readonly views: Map<string, MemoryProvider>;
}

/** Keeps the last `limit` that were set. */
export function remember<V>(map: Map<string, V>, [key, value]: readonly [string, V], limit: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}

export const rememberKey = ({ keys }: Notes, key: string, note: KeyNote): void =>
  remember(keys, [key, note], IDEMPOTENCY_WINDOW);

const createNotes = (): Notes => ({
  keys: new Map(),
  metadata: {},
  userId: undefined,
  lastActivity: undefined,
  version: 0,
  visible: 0,
});

/** An id may be used again, and a conversation given away: summaries are content, and not the next owner's. */
const isOthers = ({ userId }: Notes, owner: string | undefined): boolean =>
  userId !== undefined && owner !== undefined && userId !== owner;

export function createStoreState(): StoreState {
  const notes = new Map<string, Notes>();
  return {
    inTurn: createKeyedQueue().run,
    notesOf: (conversationId, owner) => {
      const before = notes.get(conversationId);
      const known = before === undefined || isOthers(before, owner) ? createNotes() : before;
      known.userId ??= owner;
      remember(notes, [conversationId, known], MAX_CONVERSATIONS);
      return known;
    },
    peek: (conversationId) => notes.get(conversationId),
    forget: (conversationId) => void notes.delete(conversationId),
    views: new Map(),
  };
}

/**
 * Takes note of how many messages there are. A `load` may hide some, e.g. calls that wait for their result: the version
 * counts those that this process knows of, and moves with every change that can be seen.
 */
export function observeCount(notes: Notes, count: number): void {
  const { version, visible } = notes;
  if (visible === undefined) notes.version = Math.max(version, count);
  else if (count < visible) notes.version = count;
  else notes.version = version + count - visible;
  notes.visible = count;
}
