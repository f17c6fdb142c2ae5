import { randomUUID } from "node:crypto";
import {
  type ConversationWrite,
  createKeyedQueue,
  TOMBSTONE_SECONDS,
  type Tombstones,
  tombstoneKey,
} from "@jaf/memory/adapter";
import type { TombstonesEntry } from "./entry.ts";
import type { Logs } from "./logs.ts";

type Tombstone = TombstonesEntry["left"][number];
type Who = Pick<ConversationWrite, "conversationId" | "userId">;

/** A deleted conversation, or a user whose conversations were deleted. */
export interface Erased {
  readonly kind: "conversation" | "user";
  readonly id: string;
}

/** All tombstones of a folder are in one log. */
export const LOG = "tombstones";
const PER_LINE = 5_000;

const isLive = ({ at }: Tombstone, now: number): boolean => now < at + TOMBSTONE_SECONDS * 1_000;

const toEntry = (left: readonly Tombstone[]): TombstonesEntry => ({ kind: "tombstones", left });

interface Options {
  readonly logs: Logs<TombstonesEntry>;
  /** In the log's order. */
  readonly loaded: readonly Tombstone[];
  readonly compactAfterLines: number;
}

/** Keeps the deletions of the last 24 hours as hashes. */
export function createTombstones({ logs, loaded, compactAfterLines }: Options) {
  const held = new Map(loaded.map((tombstone) => [tombstone.key, tombstone]));
  const queue = createKeyedQueue();

  const idOf = (kind: Erased["kind"], id: string): string | null => {
    const tombstone = held.get(tombstoneKey(kind, id));
    return tombstone !== undefined && isLive(tombstone, Date.now()) ? tombstone.id : null;
  };

  async function compact(now: number): Promise<void> {
    for (const [key, tombstone] of held) if (!isLive(tombstone, now)) held.delete(key);
    if (logs.lines(LOG) < compactAfterLines) return;
    const live = [...held.values()];
    const count = Math.ceil(live.length / PER_LINE);
    const lines = Array.from({ length: count }, (_, line) =>
      live.slice(line * PER_LINE, (line + 1) * PER_LINE),
    );
    await logs.rewrite(LOG, lines.map(toEntry));
  }

  return {
    /** Resolves once they survive a power cut. */
    leave: (erased: readonly Erased[]): Promise<void> =>
      queue.run(LOG, async () => {
        const at = Date.now();
        const left = erased.map(({ kind, id }) => ({ key: tombstoneKey(kind, id), id: randomUUID(), at }));
        await logs.append(LOG, toEntry(left));
        for (const tombstone of left) held.set(tombstone.key, tombstone);
        await compact(at).catch(() => {}); // The log stays as it was, and a later deletion tries again.
      }),
    of: ({ conversationId, userId }: Who): Tombstones => ({
      conversation: idOf("conversation", conversationId),
      user: userId === undefined ? null : idOf("user", userId),
    }),
  };
}

export type TombstoneStore = ReturnType<typeof createTombstones>;
