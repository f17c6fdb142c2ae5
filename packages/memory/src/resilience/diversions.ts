import { createKeyedQueue } from "../async/keyed-queue.ts";
import type { MemoryErrorUnion } from "../errors.ts";
import { tell } from "../observer.ts";
import { createSuccess, type Result } from "../result.ts";
import { findDiverted } from "./journal.ts";
import { replayConversation } from "./replay.ts";
import type { AskPrimary } from "./replay-write.ts";
import type { Stores } from "./stores.ts";

/** Where a conversation is: with the fallback, for this reason, or with the primary. */
export type Place =
  | { readonly at: "primary" }
  | { readonly at: "fallback"; readonly error: MemoryErrorUnion };

/** Knows which conversations have diverted writes, and brings them to the primary. */
export interface Diversions {
  readonly add: (conversationId: string) => void;
  readonly remove: (conversationId: string) => void;
  readonly has: (conversationId: string) => boolean;
  /** All that are known of. */
  readonly ids: () => readonly string[];
  /** The primary is out of reach: once it answers, other processes may have diverted something, too. */
  readonly noteOutage: () => void;
  /** Settles once the journals of earlier processes are known, or can't be read for now. */
  readonly loaded: () => Promise<void>;
  /** Replays what was diverted, if the primary answers. Call it in turn. */
  readonly locate: (conversationId: string) => Promise<Result<Place>>;
  /** Replays up to so many conversations, one after another, each in turn. */
  readonly replaySome: (count: number) => Promise<void>;
  /** In the background, all of them: the primary has answered. */
  readonly replayAll: () => void;
  /** One task after another for a conversation. */
  readonly inTurn: <T>(conversationId: string, task: () => Promise<T>) => Promise<T>;
  /** While nothing is replayed and nothing diverted. */
  readonly alone: <T>(task: () => Promise<T>) => Promise<T>;
  /** Ends the background replay, after the conversation that it is at. */
  readonly close: () => Promise<void>;
}

const PRIMARY: Result<Place> = createSuccess({ at: "primary" });

export function createDiversions(stores: Stores): Diversions {
  const { primary, fallback, circuit, settings } = stores;
  const diverted = new Set<string>();
  const queue = createKeyedQueue();
  let isClosed = false;
  let isKnown = false;
  let nextTry = 0;
  let nextSweep = 0;
  let isOutage = false;
  let loading: Promise<void> | undefined;
  let sweeping: Promise<void> | undefined;

  async function load(): Promise<void> {
    const found = await findDiverted(fallback);
    if (found.success) {
      for (const id of found.data) diverted.add(id);
      isKnown = true;
    } else nextTry = performance.now() + settings.cooldownMs;
    loading = undefined;
  }

  async function loaded(): Promise<void> {
    if (isKnown || performance.now() < nextTry) return;
    loading ??= load();
    await loading;
  }

  async function locate(conversationId: string): Promise<Result<Place>> {
    if (!diverted.has(conversationId)) return PRIMARY;
    const blocked = circuit.blockedBy();
    if (blocked !== undefined) return createSuccess({ at: "fallback", error: blocked });
    let outage: MemoryErrorUnion | undefined;
    const askPrimary: AskPrimary = async (ask) => {
      const note = circuit.begin();
      const result = await ask(primary);
      outage = note(result);
      return result;
    };
    const onSetAside = (event: Parameters<NonNullable<typeof settings.onSetAside>>[0]) =>
      tell("onSetAside", settings.onSetAside, event);
    const replayed = await replayConversation({ fallback, askPrimary, onSetAside }, conversationId);
    if (replayed.success) {
      diverted.delete(conversationId);
      return PRIMARY;
    }
    return outage === undefined ? replayed : createSuccess({ at: "fallback", error: outage });
  }

  const inTurn = <T>(conversationId: string, task: () => Promise<T>) => queue.run(conversationId, task);

  /** Whether the primary has answered throughout. */
  async function replaySome(count: number): Promise<boolean> {
    for (const id of [...diverted].slice(0, count)) {
      if (isClosed) return false;
      const place = await inTurn(id, () => locate(id));
      if (!place.success || place.data.at === "fallback") return false;
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
    add: (id) => void diverted.add(id),
    remove: (id) => void diverted.delete(id),
    has: (id) => diverted.has(id),
    ids: () => [...diverted],
    noteOutage: () => {
      isOutage = true;
    },
    loaded,
    locate,
    replaySome: async (count) => void (await replaySome(count)),
    replayAll: () => {
      if (sweeping !== undefined || isClosed || performance.now() < nextSweep) return;
      if (diverted.size === 0 && !isOutage) return;
      sweeping = sweep()
        .catch(() => {}) // A provider that throws: the next call about the conversation tells its caller.
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
