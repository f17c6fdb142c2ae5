import { setTimeout as sleep } from "node:timers/promises";
import { type MemoryProvider, withRetry } from "../../packages/memory/src/index.ts";
import { until } from "../polling.ts";
import { createBatch } from "./batch.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { observe } from "./observed.ts";

const WRITER_NUMBERS = Array.from({ length: 16 }, (_, writer) => writer);

/** Enough for one minute without a server. */
export const PATIENT = { maxAttempts: 1_000, baseDelayMs: 10, maxDelayMs: 250, maxElapsedMs: 60_000 };

const PROGRESS = 5;
const PAUSE_AFTER_FAILURE_MS = 50;

export interface LoadOutcome {
  readonly ledger: Ledger;
  readonly failed: number;
  /** See `Observed`. */
  readonly unretryable: readonly string[];
}

export interface LoadOptions {
  /** The title in the line of figures. */
  readonly title: string;
  /**
   * Causes the faults, and returns their number for the line of figures. `recovered` resolves when every writer has made
   * progress.
   */
  readonly faults: (recovered: () => Promise<void>) => Promise<string>;
}

/**
 * 16 writers, distributed among the providers, append without pauses and with retries during the faults. Prints one line
 * of figures.
 */
export async function runLoad(
  providers: readonly MemoryProvider[],
  options: LoadOptions,
): Promise<LoadOutcome> {
  const ledger = createLedger();
  const observed = providers.map(observe);
  let stopping = false;

  async function write(provider: MemoryProvider, writer: number): Promise<void> {
    for (let number = 0; !stopping; number++) {
      const result = await ledger.append(provider, createBatch(writer, number));
      if (!result.success) await sleep(PAUSE_AFTER_FAILURE_MS);
    }
  }

  async function recovered(): Promise<void> {
    const goals = WRITER_NUMBERS.map((writer) => ledger.acknowledgedBy(writer) + PROGRESS);
    await until("Every writer gets further", async () =>
      goals.every((goal, writer) => ledger.acknowledgedBy(writer) >= goal),
    );
  }

  const retrying = observed.map(({ provider }) => withRetry(provider, PATIENT));
  const writing = WRITER_NUMBERS.map((writer) => {
    const provider = retrying[writer % retrying.length];
    return provider === undefined ? undefined : write(provider, writer);
  });
  let faults: string;
  try {
    faults = await options.faults(recovered);
  } finally {
    stopping = true;
    await Promise.all(writing);
  }

  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const failed = sum(observed.map((one) => one.failed()));
  const { acknowledged, acknowledgedMessages, unacknowledged, conversations } = ledger.figures();
  process.stdout.write(
    `${options.title}, ${faults}: ${acknowledged} batches (${acknowledgedMessages} messages) acknowledged in ` +
      `${conversations} conversations; ${failed} of ${sum(observed.map((one) => one.attempts()))} attempts failed, ` +
      `${unacknowledged} batches given up\n`,
  );
  return { ledger, failed, unretryable: observed.flatMap((one) => one.unretryable()) };
}
