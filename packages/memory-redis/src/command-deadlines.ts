/** The server, or the client, which may be waiting for a connection, did not answer. */
export class CommandTimeout extends Error {
  override readonly name = "CommandTimeout";
}

/**
 * Rejects with {@link CommandTimeout} what takes longer. `recover` may answer a failure with another attempt, within the
 * same time.
 */
export type Deadlines = <T>(
  work: Promise<T>,
  recover?: (thrown: unknown) => Promise<T> | undefined,
) => Promise<T>;

/** `onTimeout` is called behind each that times out. */
export function createDeadlines(timeoutMs: number, onTimeout?: () => void): Deadlines {
  return (work, recover) =>
    new Promise((resolve, reject) => {
      let isOver = false;
      function giveUp(): void {
        if (isOver) return;
        reject(new CommandTimeout("no answer in time"));
        onTimeout?.();
      }
      // After the replies that arrived while the process was busy: those are in time.
      const timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
      const end = () => {
        isOver = true;
        clearTimeout(timer);
      };
      work
        .catch((thrown: unknown) => recover?.(thrown) ?? Promise.reject(thrown))
        .finally(end)
        .then(resolve, reject);
    });
}
