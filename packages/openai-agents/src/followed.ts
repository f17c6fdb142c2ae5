import type { RichMessage } from "@jaf/memory";
import { changeHistory, isConflict, type Reading, readHistory } from "./history.ts";
import type { Place } from "./settings.ts";

/** The conversation as a run saw it last: its incarnation, and whether it existed. */
type Seen = Pick<Reading, "incarnation" | "exists">;

/** What each run of a session has seen of the conversation. A run's late write doesn't bring back what was erased. */
export interface Followed {
  /** Remembers what a run has read. `run`: the run's context; absent for calls outside of a run. */
  readonly see: (run: object | undefined, seen: Seen) => void;
  /** The incarnation for a write that is based on `reading`: that of the first read, if the conversation existed then. */
  readonly expected: (run: object | undefined, reading: Seen) => string;
  /** Appends messages, unless the conversation that the run has read was erased. */
  readonly append: (run: object | undefined, messages: readonly RichMessage[]) => Promise<void>;
}

export function followConversation(place: Place): Followed {
  const runs = new WeakMap<object, Seen>();
  let latest: Seen | undefined;
  const seenBy = (run: object | undefined) => (run === undefined ? undefined : runs.get(run)) ?? latest;
  const see: Followed["see"] = (run, seen) => {
    latest = seen;
    if (run !== undefined) runs.set(run, seen);
  };
  return {
    see,
    expected: (run, reading) => {
      const seen = seenBy(run);
      return seen?.exists === true ? seen.incarnation : reading.incarnation;
    },
    append: async (run, messages) => {
      for (const key = crypto.randomUUID(); ; ) {
        const seen = seenBy(run) ?? (await readHistory(place, "none"));
        try {
          const created = await changeHistory(place, {
            messages,
            idempotencyKey: key,
            expectedIncarnation: seen.incarnation,
            ...(seen.exists ? {} : { expectedVersion: 0 }),
          });
          if (created !== undefined) see(run, { incarnation: created, exists: true });
          else if (!seen.exists) see(run, await readHistory(place, "none"));
          return;
        } catch (error) {
          if (seen.exists || !isConflict(error, "version", "incarnation")) throw error;
          // The run has seen no conversation. If another run has created it since, both append to it.
          const now = await readHistory(place, "none");
          if (!now.exists) throw error;
          see(run, now);
        }
      }
    },
  };
}
