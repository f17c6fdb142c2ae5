import type { TurnLog, TurnWriter } from "@jaf/memory";
import { onAbort, withDeadline } from "@jaf/memory/engine";
import { pause } from "./pause.ts";

export interface HoldOptions {
  readonly log: Pick<TurnLog, "renew">;
  readonly writer: TurnWriter;
  readonly leaseMs: number;
  /** How long the turn is held at most. */
  readonly maxMs: number;
  /** Aborting it lets go. */
  readonly signal: AbortSignal;
}

/** `"lost"`: somebody else has the turn, or the log didn't answer for as long as the lease. */
export type WhileHeld<T> = { readonly done: T } | { readonly given: "lost" | "late" | "over" };

/** Keeps a turn while the task that goes before its events is under way. A task that is given up goes on by itself. */
export async function whileHeld<T>(task: Promise<T>, options: HoldOptions): Promise<WhileHeld<T>> {
  const { log, writer, leaseMs, maxMs, signal } = options;
  const over = new AbortController();
  const stopListening = onAbort(signal, () => over.abort());
  const everyMs = leaseMs / 3;
  const endsAt = performance.now() + maxMs;

  async function hold(): Promise<"lost" | "late" | "over"> {
    let heldAt = performance.now();
    for (;;) {
      await pause(Math.max(0, Math.min(everyMs, endsAt - performance.now())), over.signal);
      if (over.signal.aborted) return "over";
      const began = performance.now();
      if (began >= endsAt) return "late";
      const answer = await withDeadline(log.renew(writer), { timeoutMs: everyMs }).catch(() => undefined);
      if (answer?.success === true) {
        if (!answer.data.held) return "lost";
        heldAt = began;
      } else if (performance.now() - heldAt >= leaseMs) return "lost";
    }
  }

  try {
    return await Promise.race([
      task.then((done) => ({ done })),
      hold().then((given): WhileHeld<T> => ({ given })),
    ]);
  } finally {
    over.abort();
    stopListening();
  }
}
