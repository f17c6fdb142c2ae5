import type { TurnLog } from "@jaf/memory";
import type { TurnWriter } from "@jaf/memory/adapter";
import { onAbort, withDeadline } from "@jaf/memory/internal";
import { pause } from "../pause.ts";

interface HoldOptions {
  readonly log: Pick<TurnLog, "renew">;
  readonly writer: TurnWriter;
  readonly leaseMs: number;
  /** Maximum time for which the lease is renewed, in ms. */
  readonly maxMs: number;
  /** Ends the renewals of the lease when aborted. */
  readonly signal: AbortSignal;
}

/**
 * The task's result (`done`), or why the lease was given up before the task ended (`given`):
 *
 * - `"lost"`: another process has the lease, or the log didn't answer until the lease expired.
 * - `"late"`: the time `maxMs` is over.
 * - `"over"`: `signal` was aborted.
 */
type KeptLease<T> = { readonly done: T } | { readonly given: "lost" | "late" | "over" };

/** Renews a turn's lease while a task runs. Resolves early, without cancelling the task, if the lease is given up. */
export async function keepLeaseDuring<T>(task: Promise<T>, options: HoldOptions): Promise<KeptLease<T>> {
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
      hold().then((given): KeptLease<T> => ({ given })),
    ]);
  } finally {
    over.abort();
    stopListening();
  }
}
