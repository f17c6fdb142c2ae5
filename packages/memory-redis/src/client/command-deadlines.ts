/** The server, or the client, which may be waiting for a connection, did not answer. */
export class CommandTimeout extends Error {
  override readonly name = "CommandTimeout";
}

/**
 * Rejects with {@link CommandTimeout} what takes longer. `recover` may answer a failure with another attempt, within the
 * same time; it isn't called once the time is over.
 */
export type Deadlines = <T>(
  work: Promise<T>,
  recover?: (thrown: unknown) => Promise<T> | undefined,
) => Promise<T>;

/** `onTimeout` is called behind each that times out. */
export function createDeadlines(timeoutMs: number, onTimeout?: () => void): Deadlines {
  return (work, recover) =>
    new Promise((resolve, reject) => {
      const untilMs = performance.now() + timeoutMs;
      let timer: NodeJS.Timeout | undefined;
      let isOver = false;
      function giveUp(): void {
        if (isOver) return;
        const leftMs = untilMs - performance.now();
        // A timer may be early by less than a millisecond.
        if (leftMs > 0) wait(leftMs);
        else {
          isOver = true;
          reject(new CommandTimeout("no answer in time"));
          onTimeout?.();
        }
      }
      // After the replies that arrived while the process was busy: those are in time.
      function wait(ms: number): void {
        timer = setTimeout(() => setImmediate(giveUp), ms);
      }
      const end = () => {
        isOver = true;
        clearTimeout(timer);
      };
      wait(timeoutMs);
      work
        .catch((thrown: unknown) => (isOver ? undefined : recover?.(thrown)) ?? Promise.reject(thrown))
        .finally(end)
        .then(resolve, reject);
    });
}
