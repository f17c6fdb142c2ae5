import { createKeyedQueue } from "../async/keyed-queue.ts";
import { IDEMPOTENCY_WINDOW } from "../backend/backend.ts";
import { setBounded } from "../bounded-map.ts";
import type { JsonObject } from "../codec/json.ts";
import { createTombstones, type TombstoneStore } from "../in-memory/tombstones.ts";
import type { Message } from "../message.ts";
import type { MemoryProvider } from "../provider.ts";
import { type ListedConversation, listedMetadata } from "./listed-conversations.ts";

const MAX_CONVERSATIONS = 2_000;

/** The outcome of a write with an idempotency key. */
export type KeyOutcome =
  | { readonly bodyHash: string; readonly status: "written"; readonly nextPosition: number }
  /** Its append threw when `before` messages were there. */
  | {
      readonly bodyHash: string;
      readonly status: "open";
      readonly before: number;
      readonly batch: readonly Message[];
    };

/** What this process knows of a conversation beyond its messages. */
export interface LocalState {
  /** Made by this process: the store has none. */
  readonly incarnation: string;
  /** As the store returns it; `undefined` if it doesn't. */
  readonly createdAt: number | undefined;
  readonly keys: Map<string, KeyOutcome>;
  metadata: JsonObject;
  metadataVersion: number;
  /** The fields of the listing, as text. */
  listed: string;
  userId: string | undefined;
  lastActivity: Date | undefined;
  version: number;
  /** How many messages there are, including those that `load` hides; `undefined` before the first read. */
  count: number | undefined;
  /** How many messages the latest `load` returned; `undefined` after a write. */
  visible: number | undefined;
}

export interface StoreState {
  /** Runs the reads and writes of one conversation one after another. */
  readonly inTurn: <T>(conversationId: string, task: () => Promise<T>) => Promise<T>;
  /** A new one where it is, as far as the listing shows, another conversation or another owner's. */
  readonly localStateOf: (listed: ListedConversation) => LocalState;
  /** The one that there is, if any; makes none. */
  readonly peek: (conversationId: string) => LocalState | undefined;
  readonly delete: (conversationId: string) => void;
  readonly tombstones: TombstoneStore;
  /** By the user that they are for. */
  readonly views: Map<string, MemoryProvider>;
}

export const recordKey = ({ keys }: LocalState, key: string, outcome: KeyOutcome): void =>
  setBounded(keys, [key, outcome], IDEMPOTENCY_WINDOW);

const createLocalState = ({ createdAt }: ListedConversation): LocalState => ({
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
const isAnother = ({ userId, createdAt }: LocalState, listed: ListedConversation): boolean =>
  (userId !== undefined && listed.userId !== undefined && userId !== listed.userId) ||
  createdAt !== listed.createdAt?.getTime();

export function createStoreState(): StoreState {
  const byId = new Map<string, LocalState>();
  return {
    inTurn: createKeyedQueue().run,
    localStateOf: (listed) => {
      const before = byId.get(listed.id);
      const known = before === undefined || isAnother(before, listed) ? createLocalState(listed) : before;
      known.userId ??= listed.userId;
      setBounded(byId, [listed.id, known], MAX_CONVERSATIONS);
      return known;
    },
    peek: (conversationId) => byId.get(conversationId),
    delete: (conversationId) => void byId.delete(conversationId),
    tombstones: createTombstones(),
    views: new Map(),
  };
}

/** Records what the store returned. The versions rise with every change that shows in it. */
export function recordVisible(local: LocalState, listed: ListedConversation, visible: number): void {
  const fields = JSON.stringify(listedMetadata(listed));
  if (local.count !== undefined && local.listed !== fields) local.metadataVersion += 1;
  local.listed = fields;
  const count = countAfter(local, visible);
  if (local.count !== undefined && local.count !== count) local.version += 1;
  local.count = count;
  local.visible = visible;
}

/** A `load` may hide some, e.g. calls that wait for their result. */
function countAfter({ count = 0, visible: before }: LocalState, visible: number): number {
  if (before === undefined) return Math.max(count, visible);
  return visible < before ? visible : count + visible - before;
}
