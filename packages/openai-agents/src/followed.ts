import type { RichMessage, WriteReceipt } from "@jaf/memory";
import { createMemoryConflictError, MemoryCallError } from "@jaf/memory/internal";
import { changeHistory, isConflict, type Reading, readHistory } from "./history.ts";
import type { Place } from "./settings.ts";

type Run = object | undefined;

/** The conversation after a run's last read or write. */
interface Seen extends Pick<Reading, "exists" | "incarnation"> {
  /** `undefined` if it isn't known, because the store returned no receipt of a write. */
  readonly version: number | undefined;
  /** Whether other writers may have changed the conversation between the run's last read and its last write. */
  readonly isChanged: boolean;
}

/** The conversation that a write was based on. */
type Before = Pick<Seen, "exists" | "incarnation" | "version">;

/**
 * What each run of a session has seen of the conversation. A run's late write doesn't bring back what was erased, and
 * doesn't remove what the run hasn't seen. `run`: the run's context; absent for calls outside of a run.
 */
export interface Followed {
  /** Remembers what a run has read. */
  readonly see: (run: Run, reading: Reading) => void;
  /** Remembers a write of a run. */
  readonly wrote: (run: Run, before: Before, receipt: WriteReceipt | undefined) => Promise<void>;
  /** The incarnation for a write that is based on `reading`: that of the first read, if the conversation existed then. */
  readonly expected: (run: Run, reading: Reading) => string;
  /** Throws a conflict if the run has read the conversation, and `reading` isn't what it has read. */
  readonly assertSeen: (run: Run, reading: Reading) => void;
  /** The version after the run's last read or write. `undefined` if it has made none, or if it isn't known. */
  readonly version: (run: Run) => number | undefined;
  /** Appends messages, unless the conversation that the run has read was erased. */
  readonly append: (run: Run, messages: readonly RichMessage[]) => Promise<void>;
}

export function followConversation(place: Place): Followed {
  const runs = new WeakMap<object, Seen>();
  let latest: Seen | undefined;
  const seenBy = (run: Run) => (run === undefined ? undefined : runs.get(run)) ?? latest;
  const remember = (run: Run, seen: Seen) => {
    latest = seen;
    if (run !== undefined) runs.set(run, seen);
  };
  const see: Followed["see"] = (run, reading) => remember(run, { ...reading, isChanged: false });

  const wrote: Followed["wrote"] = async (run, before, receipt) => {
    const { version, isChanged } = seenBy(run) ?? { ...before, isChanged: false };
    const incarnation = before.exists ? before.incarnation : receipt?.incarnation;
    // Without a receipt, nothing tells which conversation was created.
    if (incarnation === undefined) {
      remember(run, { ...(await readHistory(place, "none")), isChanged: true });
    } else {
      const next = receipt?.version;
      const isNext = next !== undefined && version !== undefined && next <= version + 1;
      // Writes that were made at the same time may end in another order.
      const last = next === undefined ? undefined : Math.max(next, version ?? 0);
      remember(run, { exists: true, incarnation, version: last, isChanged: isChanged || !isNext });
    }
  };

  return {
    see,
    wrote,
    version: (run) => seenBy(run)?.version,
    expected: (run, reading) => {
      const seen = seenBy(run);
      return seen?.exists === true ? seen.incarnation : reading.incarnation;
    },
    assertSeen: (run, { version, incarnation }) => {
      const seen = seenBy(run);
      if (seen === undefined || (seen.version === version && !seen.isChanged)) return;
      const reason = seen.exists && seen.incarnation !== incarnation ? "incarnation" : "version";
      throw new MemoryCallError(createMemoryConflictError(reason, { operation: "appendMessages" }));
    },
    append: async (run, messages) => {
      for (const idempotencyKey = crypto.randomUUID(); ; ) {
        const known = seenBy(run);
        const seen = known ?? (await readHistory(place, "none"));
        const { exists, incarnation } = seen;
        const begins = exists ? {} : { expectedVersion: 0, began: incarnation };
        try {
          const change = { messages, idempotencyKey, expectedIncarnation: incarnation, ...begins };
          return await wrote(run, seen, await changeHistory(place, change));
        } catch (error) {
          if (exists || !isConflict(error, "version", "incarnation")) throw error;
          // The run has seen no conversation. If another run has created it since, both append to it, unless something
          // was erased between what the two have seen.
          const now = await readHistory(place, "none");
          if (!now.exists || (known !== undefined && now.began !== incarnation)) throw error;
          remember(run, { ...now, isChanged: true });
        }
      }
    },
  };
}
