import { setTimeout as sleep } from "node:timers/promises";

const INTERVAL_MS = 25;
const DEADLINE_MS = 60_000;

/** Returns the first value that isn't `undefined`. Reads again after an error. Rejects with `what` after 60 s. */
export async function poll<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + DEADLINE_MS;
  let failure: unknown;
  while (performance.now() < deadline) {
    try {
      const value = await read();
      if (value !== undefined) return value;
    } catch (thrown) {
      failure = thrown;
    }
    await sleep(INTERVAL_MS);
  }
  throw new Error(`${what}: not within ${DEADLINE_MS} ms`, { cause: failure });
}

/** Resolves when the condition holds. */
export const until = async (what: string, holds: () => Promise<boolean>): Promise<void> =>
  void (await poll(what, async () => ((await holds()) ? true : undefined)));
