/** The server didn't answer in time, or the client was still waiting for a connection. */
export class CommandTimeout extends Error {
  override readonly name = "CommandTimeout";
}

/**
 * Rejects with {@link CommandTimeout} if the work takes too long. `recover` may answer a failure with another attempt
 * within the same time. It isn't called after the time is over.
 */
export type Deadlines = <T>(
  work: Promise<T>,
  recover?: (thrown: unknown) => Promise<T> | undefined,
) => Promise<T>;

/** `onTimeout` is called after each timeout. */
export function createDeadlines(timeoutMs: number, onTimeout?: () => void): Deadlines {
  return (work, recover) =>
    new Promise((resolve, reject) => {
      const untilMs = performance.now() + timeoutMs;
      let timer: NodeJS.Timeout | undefined;
      let isOver = false;
      function giveUp(): void {
        if (isOver) return;
        const leftMs = untilMs - performance.now();
        // A timer may fire less than a millisecond early.
        if (leftMs > 0) wait(leftMs);
        else {
          isOver = true;
          reject(new CommandTimeout("no answer in time"));
          onTimeout?.();
        }
      }
      // Runs after the replies that arrived in time while the process was busy.
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
