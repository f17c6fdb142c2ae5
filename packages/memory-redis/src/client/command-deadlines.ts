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
  return <T>(work: Promise<T>, recover?: (thrown: unknown) => Promise<T> | undefined) =>
    new Promise<T>((resolve, reject) => {
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
      const succeed = (value: T) => {
        end();
        resolve(value);
      };
      const fail = (thrown: unknown) => {
        end();
        reject(thrown);
      };
      wait(timeoutMs);
      work.then(succeed, (thrown: unknown) => {
        const again = isOver ? undefined : recover?.(thrown);
        if (again === undefined) fail(thrown);
        else again.then(succeed, fail);
      });
    });
}
