import { MemoryCallError, type RichMessage } from "@jaf/memory";
import {
  appendTo,
  createMemoryConflictError,
  type Place,
  type Seen,
  type Written,
} from "@jaf/memory/internal";
import type { Reading } from "./history.ts";

type Run = object | undefined;

/** The conversation after a run's last read or write. */
interface SeenByRun extends Seen {
  /** `undefined` if it isn't known, because the store returned no receipt of a write. */
  readonly version: number | undefined;
  /** Whether other writers may have changed the conversation between the run's last read and its last write. */
  readonly isChanged: boolean;
}

/**
 * What each run of a session has seen of the conversation. A run's late write doesn't bring back what was erased, and
 * doesn't remove what the run hasn't seen. `run`: the run's context; absent for calls outside of a run.
 */
export interface Followed {
  /** Remembers what a run has read. */
  readonly see: (run: Run, reading: Reading) => void;
  /** Remembers a write of a run. `reading`: what it was based on, if the run had to read for it. */
  readonly wrote: (run: Run, written: Written, reading?: Reading) => void;
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
  const runs = new WeakMap<object, SeenByRun>();
  let latest: SeenByRun | undefined;
  const seenBy = (run: Run) => (run === undefined ? undefined : runs.get(run)) ?? latest;
  const remember = (run: Run, seen: SeenByRun) => {
    latest = seen;
    if (run !== undefined) runs.set(run, seen);
  };
  const see: Followed["see"] = (run, reading) => remember(run, { ...reading, isChanged: false });

  const wrote: Followed["wrote"] = (run, { incarnation, receipt }, reading) => {
    const before = seenBy(run) ?? (reading && { ...reading, isChanged: false });
    const { version, isChanged } = before ?? { version: undefined, isChanged: false };
    const next = receipt?.version;
    const isNext =
      before === undefined || (next !== undefined && version !== undefined && next <= version + 1);
    // Writes that were made at the same time may end in another order.
    const last = next === undefined ? undefined : Math.max(next, version ?? 0);
    remember(run, { exists: true, incarnation, version: last, isChanged: isChanged || !isNext });
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
    append: async (run, messages) => wrote(run, await appendTo(place, seenBy(run), { messages })),
  };
}
