import { createKeyedQueue } from "../async/keyed-queue.ts";
import type { MemoryErrorUnion } from "../errors.ts";
import { notifyObserver } from "../observer.ts";
import { createSuccess, type Result } from "../result.ts";
import { findJournaled } from "./fallback-journal.ts";
import type { Stores } from "./primary-and-fallback.ts";
import { replayConversation } from "./replay-conversation.ts";
import type { CallPrimary } from "./replay-write.ts";

/** Where a conversation is: with the fallback, for this reason, or with the primary. */
export type ConversationLocation =
  | { readonly at: "primary" }
  | { readonly at: "fallback"; readonly error: MemoryErrorUnion };

/** The conversations whose fallback writes are still to be replayed on the primary. */
export interface PendingReplays {
  readonly add: (conversationId: string) => void;
  readonly remove: (conversationId: string) => void;
  readonly has: (conversationId: string) => boolean;
  /** Those that this process knows. */
  readonly ids: () => readonly string[];
  /** Records that the primary is out of reach: other processes may have written to the fallback, too. */
  readonly recordOutage: () => void;
  /** Settles once the journals of earlier processes are known, or can't be read for now. */
  readonly loaded: () => Promise<void>;
  /** Replays the conversation's fallback writes, if the primary answers. Call it from `inTurn`. */
  readonly locate: (conversationId: string) => Promise<Result<ConversationLocation>>;
  /** Replays up to so many conversations, one after another, each in turn. */
  readonly replaySome: (count: number) => Promise<void>;
  /** Starts replaying all of them in the background. Call it when the primary has answered. */
  readonly replayAll: () => void;
  /** Runs the tasks of one conversation one after another. */
  readonly inTurn: <T>(conversationId: string, task: () => Promise<T>) => Promise<T>;
  /** Runs while nothing is replayed and nothing written to the fallback. */
  readonly alone: <T>(task: () => Promise<T>) => Promise<T>;
  /** Ends the background replay, after the conversation that it is at. */
  readonly close: () => Promise<void>;
}

const PRIMARY: Result<ConversationLocation> = createSuccess({ at: "primary" });

export function createPendingReplays(stores: Stores): PendingReplays {
  const { primary, fallback, circuit, settings } = stores;
  const pending = new Set<string>();
  const queue = createKeyedQueue();
  let isClosed = false;
  let isKnown = false;
  let nextTry = 0;
  let nextSweep = 0;
  let isOutage = false;
  let loading: Promise<void> | undefined;
  let sweeping: Promise<void> | undefined;

  async function load(): Promise<void> {
    const found = await findJournaled(fallback);
    if (found.success) {
      for (const id of found.data) pending.add(id);
      isKnown = true;
    } else nextTry = performance.now() + settings.cooldownMs;
    loading = undefined;
  }

  async function loaded(): Promise<void> {
    if (isKnown || performance.now() < nextTry) return;
    loading ??= load();
    await loading;
  }

  async function locate(conversationId: string): Promise<Result<ConversationLocation>> {
    if (!pending.has(conversationId)) return PRIMARY;
    const blocked = circuit.blockedBy();
    if (blocked !== undefined) return createSuccess({ at: "fallback", error: blocked });
    let outage: MemoryErrorUnion | undefined;
    const callPrimary: CallPrimary = async (send) => {
      const record = circuit.begin();
      const result = await send(primary);
      outage = record(result);
      return result;
    };
    const onDeadLetter = (event: Parameters<NonNullable<typeof settings.onDeadLetter>>[0]) =>
      notifyObserver("onDeadLetter", settings.onDeadLetter, event);
    const replayed = await replayConversation({ fallback, callPrimary, onDeadLetter }, conversationId);
    if (replayed.success) {
      pending.delete(conversationId);
      return PRIMARY;
    }
    return outage === undefined ? replayed : createSuccess({ at: "fallback", error: outage });
  }

  const inTurn = <T>(conversationId: string, task: () => Promise<T>) => queue.run(conversationId, task);

  /** Whether the primary has answered throughout. */
  async function replaySome(count: number): Promise<boolean> {
    for (const id of [...pending].slice(0, count)) {
      if (isClosed) return false;
      const location = await inTurn(id, () => locate(id));
      if (!location.success || location.data.at === "fallback") return false;
    }
    return true;
  }

  async function sweep(): Promise<void> {
    if (isOutage) {
      isOutage = false;
      isKnown = false;
      await loaded();
    }
    if (!(await replaySome(Number.POSITIVE_INFINITY))) nextSweep = performance.now() + settings.cooldownMs;
  }

  return {
    add: (id) => void pending.add(id),
    remove: (id) => void pending.delete(id),
    has: (id) => pending.has(id),
    ids: () => [...pending],
    recordOutage: () => {
      isOutage = true;
    },
    loaded,
    locate,
    replaySome: async (count) => void (await replaySome(count)),
    replayAll: () => {
      if (sweeping !== undefined || isClosed || performance.now() < nextSweep) return;
      if (pending.size === 0 && !isOutage) return;
      sweeping = sweep()
        .catch(() => {}) // A provider that throws: the next call about the conversation reports it to its caller.
        .finally(() => {
          sweeping = undefined;
        });
    },
    inTurn,
    alone: queue.runAlone,
    close: async () => {
      isClosed = true;
      await sweeping;
    },
  };
}
