import type { ConversationWrite, MemoryBackend, WriteOutcome } from "@jaf/memory";
import { applyWrite, type Conversation, decide, isLive, liveLines } from "./conversation.ts";
import { toEntry } from "./entry.ts";
import { toMemoryError } from "./faults.ts";
import { createLanes } from "./lanes.ts";
import type { Lock } from "./lock.ts";
import type { Logs } from "./logs.ts";
import { count, select, toStored } from "./queries.ts";
import { summarize } from "./snapshot.ts";

export interface FileStore {
  readonly conversations: Map<string, Conversation>;
  readonly logs: Logs;
  readonly lock: Lock;
  readonly compactAfterLines: number;
}

const SWEEP_INTERVAL_MS = 60_000;

export function createFileBackend(store: FileStore): MemoryBackend {
  const { conversations, logs, lock } = store;
  const lanes = createLanes();
  let sweptAt = 0;

  const liveOne = (conversationId: string, now = Date.now()): Conversation | undefined => {
    const held = conversations.get(conversationId);
    return held !== undefined && isLive(held, now) ? held : undefined;
  };

  const live = (): readonly Conversation[] => {
    const now = Date.now();
    return [...conversations.values()].filter((held) => isLive(held, now));
  };

  async function forget(conversationIds: readonly string[]): Promise<void> {
    await logs.remove(conversationIds);
    for (const conversationId of conversationIds) conversations.delete(conversationId);
  }

  /** Nobody waits for it: if it fails, the log stays as it was, and a later write tries again. */
  const tidy = (conversationId: string, change: () => Promise<void>) =>
    void lanes.one(conversationId, change).catch(() => {});

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
    return lines >= store.compactAfterLines && lines > 2 * liveLines(held) + 1;
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
    const decided = decide(held, write);
    if (decided !== undefined) return decided;
    const entry = toEntry(write, { at, begins: held === undefined });
    await logs.append(conversationId, entry);
    // It shows once it is saved, so that nobody reads what a crash would take back.
    const after = applyWrite(held, entry);
    if (after !== undefined) conversations.set(conversationId, after);
    if (after !== undefined && isMostlyDead(after)) compact(after);
    sweep(at);
    return { status: "written" };
  }

  return {
    name: "file",
    write: (write) => lanes.one(write.conversationId, () => writeOne(write)),
    read: async (conversationId, last) => {
      const held = liveOne(conversationId);
      if (held === undefined) return null;
      return toStored(held, last === undefined ? held.messages : held.messages.slice(-last));
    },
    find: async (query) => select(live(), query),
    delete: (conversationId) =>
      lanes.one(conversationId, async () => {
        const wasLive = liveOne(conversationId) !== undefined;
        if (conversations.has(conversationId)) await forget([conversationId]);
        return wasLive;
      }),
    clearUser: (userId) =>
      lanes.all(async () => {
        const owned = live().filter((held) => held.userId === userId);
        if (owned.length > 0) await forget(owned.map(({ conversationId }) => conversationId));
        return owned.length;
      }),
    stats: async (userId) => count(live(), userId),
    ping: lock.check,
    close: () => lanes.all(lock.release),
    toMemoryError,
  };
}
