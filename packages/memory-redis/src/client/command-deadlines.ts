/** A command got no reply in time. The server didn't answer, or the client had no connection to send the command on. */
export class CommandTimeout extends Error {
  override readonly name = "CommandTimeout";
}

/**
 * Returns the result of `work`, or rejects with {@link CommandTimeout} if it takes too long. If `work` fails in time,
 * `recover` may start a second attempt, whose result is returned instead.
 */
// The time limit holds for both attempts together.
export type Deadlines = <T>(
  work: Promise<T>,
  recover?: (thrown: unknown) => Promise<T> | undefined,
) => Promise<T>;

/**
 * Creates a function that limits the duration of work to `timeoutMs` milliseconds. `onTimeout` is called after each
 * timeout.
 */
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
