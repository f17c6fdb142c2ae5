import {
  type ConversationWrite,
  createKeyedQueue,
  type MemoryBackend,
  type WriteOutcome,
} from "@jaf/memory/adapter";
import { applyWrite, type Conversation, hasNotExpired } from "./conversation.ts";
import { decide } from "./decide.ts";
import { type Entry, toEntry } from "./entry.ts";
import { toMemoryError } from "./faults.ts";
import type { Lock } from "./lock.ts";
import type { Logs } from "./logs.ts";
import { count, select, toRead } from "./queries.ts";
import { summarize } from "./snapshot.ts";
import type { TombstoneStore } from "./tombstones.ts";

export interface FileStore {
  readonly conversations: Map<string, Conversation>;
  readonly logs: Logs<Entry>;
  readonly lock: Lock;
  readonly tombstones: TombstoneStore;
  readonly compactAfterLines: number;
}

const SWEEP_INTERVAL_MS = 60_000;

export function createFileBackend(store: FileStore): MemoryBackend {
  const { conversations, logs, lock, tombstones } = store;
  const queue = createKeyedQueue();
  let sweptAt = 0;

  const liveOne = (conversationId: string, now = Date.now()): Conversation | undefined => {
    const held = conversations.get(conversationId);
    return held !== undefined && isLive(held, now) ? held : undefined;
  };

  /** A child that a crash has left without its parent isn't live either, even if the parent's id is in use again. */
  function isLive(held: Conversation, now: number): boolean {
    const { childOf } = held;
    if (!hasNotExpired(held, now)) return false;
    return childOf === undefined || liveOne(childOf.conversationId, now)?.incarnation === childOf.incarnation;
  }

  const live = (): readonly Conversation[] => {
    const now = Date.now();
    return [...conversations.values()].filter((held) => isLive(held, now));
  };

  /** Returns the ids with those of all descendants, each behind those of its children. */
  function withDescendants(conversationIds: readonly string[]): readonly string[] {
    const parents = new Set(conversationIds);
    const children = [...conversations.values()]
      .filter(
        ({ conversationId, childOf }) =>
          childOf && parents.has(childOf.conversationId) && !parents.has(conversationId),
      )
      .map(({ conversationId }) => conversationId);
    return children.length === 0 ? conversationIds : [...withDescendants(children), ...conversationIds];
  }

  async function forget(conversationIds: readonly string[]): Promise<void> {
    await logs.remove(conversationIds);
    for (const conversationId of conversationIds) conversations.delete(conversationId);
  }

  /** Runs in the background: if it fails, the log stays as it was, and a later write tries again. */
  const tidy = (conversationId: string, change: () => Promise<void>) =>
    void queue.run(conversationId, change).catch(() => {});

  function sweep(now: number): void {
    if (now - sweptAt < SWEEP_INTERVAL_MS) return;
    sweptAt = now;
    for (const [conversationId, held] of conversations) {
      if (isLive(held, now)) continue;
      tidy(conversationId, async () => {
        if (liveOne(conversationId) === undefined) await forget([conversationId]);
      });
    }
  }

  const isMostlyDead = (held: Conversation): boolean => {
    const lines = logs.lines(held.conversationId);
    return lines >= store.compactAfterLines && lines > 2 * held.liveLines.size + 1;
  };

  function compact(held: Conversation): void {
    const { conversationId } = held;
    tidy(conversationId, async () => {
      const still = conversations.get(conversationId) === held && isMostlyDead(held);
      if (still) await logs.rewrite(conversationId, summarize(held));
    });
  }

  async function writeOne(write: ConversationWrite): Promise<WriteOutcome> {
    const { conversationId } = write;
    const at = Date.now();
    const held = liveOne(conversationId, at);
    const parent = write.childOf && liveOne(write.childOf.conversationId, at);
    const decided = decide(held, write, { tombstones: tombstones.of(write), parent });
    if (decided !== undefined) return decided;
    const entry = toEntry(write, { at, begins: held === undefined });
    await logs.append(conversationId, entry);
    // Visible only once it is saved: a read never returns a write that a crash can undo.
    const after = applyWrite(held, entry);
    if (after !== undefined) conversations.set(conversationId, after);
    if (after !== undefined && isMostlyDead(after)) compact(after);
    sweep(at);
    return { status: "written" };
  }

  return {
    name: "file",
    // Alone, so that no parent is deleted while its child is saved.
    write: (write) =>
      write.childOf === undefined
        ? queue.run(write.conversationId, () => writeOne(write))
        : queue.runAlone(() => writeOne(write)),
    read: async (request) => {
      const { conversationId, tombstones: asked, asksTime } = request;
      const held = liveOne(conversationId);
      // This machine's clock is also the store's clock.
      const time = asksTime === true ? { readAt: new Date() } : {};
      if (held !== undefined) return { ...toRead(held, request), ...time };
      if (asked === undefined) return { conversation: null, ...time };
      return { conversation: null, tombstones: tombstones.of({ conversationId, ...asked }), ...time };
    },
    find: async (query) => select(live(), query),
    delete: (conversationId) =>
      queue.runAlone(async () => {
        const wasLive = liveOne(conversationId) !== undefined;
        const ids = withDescendants([conversationId]);
        // Tombstones first: after a crash in between, the conversation still exists, and its deletion was never acknowledged.
        await tombstones.leave(ids.map((id) => ({ kind: "conversation", id }) as const));
        const known = ids.filter((id) => conversations.has(id));
        if (known.length > 0) await forget(known);
        return wasLive;
      }),
    clearUser: (userId) =>
      queue.runAlone(async () => {
        const owned = [...conversations.values()].filter((held) => held.userId === userId);
        const cleared = count(live(), userId).totalConversations;
        const ids = withDescendants(owned.map(({ conversationId }) => conversationId));
        const erased = ids.map((id) => ({ kind: "conversation", id }) as const);
        await tombstones.leave([{ kind: "user", id: userId }, ...erased]);
        if (ids.length > 0) await forget(ids);
        return cleared;
      }),
    stats: async (userId) => count(live(), userId),
    ping: lock.check,
    close: () => queue.runAlone(lock.release),
    toMemoryError,
  };
}
