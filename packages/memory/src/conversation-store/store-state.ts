import { createKeyedQueue } from "../async/keyed-queue.ts";
import { IDEMPOTENCY_WINDOW } from "../backend/backend.ts";
import type { JsonObject } from "../codec/json.ts";
import { createTombstones, type TombstoneStore } from "../in-memory/tombstones.ts";
import type { Message } from "../message.ts";
import type { MemoryProvider } from "../provider.ts";
import { type ListedConversation, listedMetadata } from "./store-entry.ts";

const MAX_CONVERSATIONS = 2_000;

/** What became of a write with an idempotency key. */
export type KeyNote =
  | { readonly bodyHash: string; readonly status: "written"; readonly nextPosition: number }
  /** Its append threw when `before` messages were there. */
  | {
      readonly bodyHash: string;
      readonly status: "open";
      readonly before: number;
      readonly batch: readonly Message[];
    };

/** What this process knows of a conversation beyond its messages. */
export interface Notes {
  /** Made up here: the store has none. */
  readonly incarnation: string;
  /** As the store says it; `undefined` if it doesn't. */
  readonly createdAt: number | undefined;
  readonly keys: Map<string, KeyNote>;
  metadata: JsonObject;
  metadataVersion: number;
  /** The fields of the listing, as text. */
  listed: string;
  userId: string | undefined;
  lastActivity: Date | undefined;
  version: number;
  /** How many messages are known of, those that `load` hides among them; `undefined` before the first look. */
  count: number | undefined;
  /** How many `load` returned when it was last asked; `undefined` after a write. */
  visible: number | undefined;
}

export interface StoreState {
  /** Reads and writes of one conversation take turns. */
  readonly inTurn: <T>(conversationId: string, task: () => Promise<T>) => Promise<T>;
  /** Fresh ones where, as far as it can be told, it is another conversation or another owner's. */
  readonly notesOf: (listed: ListedConversation) => Notes;
  /** Without making any. */
  readonly peek: (conversationId: string) => Notes | undefined;
  readonly forget: (conversationId: string) => void;
  readonly tombstones: TombstoneStore;
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

const createNotes = ({ createdAt }: ListedConversation): Notes => ({
  incarnation: crypto.randomUUID(),
  createdAt: createdAt?.getTime(),
  keys: new Map(),
  metadata: {},
  metadataVersion: 0,
  listed: "",
  userId: undefined,
  lastActivity: undefined,
  version: 1,
  count: undefined,
  visible: undefined,
});

/** An id may be used again, and a conversation given away: summaries are content, and not the next owner's. */
const isAnother = ({ userId, createdAt }: Notes, listed: ListedConversation): boolean =>
  (userId !== undefined && listed.userId !== undefined && userId !== listed.userId) ||
  createdAt !== listed.createdAt?.getTime();

export function createStoreState(): StoreState {
  const notes = new Map<string, Notes>();
  return {
    inTurn: createKeyedQueue().run,
    notesOf: (listed) => {
      const before = notes.get(listed.id);
      const known = before === undefined || isAnother(before, listed) ? createNotes(listed) : before;
      known.userId ??= listed.userId;
      remember(notes, [listed.id, known], MAX_CONVERSATIONS);
      return known;
    },
    peek: (conversationId) => notes.get(conversationId),
    forget: (conversationId) => void notes.delete(conversationId),
    tombstones: createTombstones(),
    views: new Map(),
  };
}

/** Takes note of what the store shows, such that the versions rise with every change that can be seen. */
export function observe(notes: Notes, listed: ListedConversation, visible: number): void {
  const fields = JSON.stringify(listedMetadata(listed));
  if (notes.count !== undefined && notes.listed !== fields) notes.metadataVersion += 1;
  notes.listed = fields;
  const count = countAfter(notes, visible);
  if (notes.count !== undefined && notes.count !== count) notes.version += 1;
  notes.count = count;
  notes.visible = visible;
}

/** A `load` may hide some, e.g. calls that wait for their result. */
function countAfter({ count = 0, visible: before }: Notes, visible: number): number {
  if (before === undefined) return Math.max(count, visible);
  return visible < before ? visible : count + visible - before;
}
