/** The server, or the client, which may be waiting for a connection, did not answer. */
export class CommandTimeout extends Error {
  override readonly name = "CommandTimeout";
}

interface Waiting {
  readonly untilMs: number;
  readonly giveUp: () => void;
}

/**
 * Rejects with {@link CommandTimeout} what takes longer. `recover` may answer a failure with another attempt, within the
 * same time.
 */
export type Deadlines = <T>(
  work: Promise<T>,
  recover?: (thrown: unknown) => Promise<T> | undefined,
) => Promise<T>;

/**
 * One timer for all that is under way: a timer for each would cost a good part of what a command costs. `onTimeout` is
 * told once of all that run out together, before their callers are.
 */
export function createDeadlines(timeoutMs: number, onTimeout?: () => void): Deadlines {
  /** In the order in which they run out. */
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | undefined;

  function expire(): void {
    timer = undefined;
    const now = performance.now();
    let expired = false;
    for (const call of waiting) {
      if (call.untilMs > now) {
        timer = setTimeout(check, call.untilMs - now);
        break;
      }
      waiting.delete(call);
      call.giveUp();
      expired = true;
    }
    if (expired) onTimeout?.();
  }

  // After the replies that came while the process was busy: they are no fault of the server.
  function check(): void {
    setImmediate(expire);
  }

  function add(call: Waiting): void {
    waiting.add(call);
    if (timer === undefined) timer = setTimeout(check, timeoutMs);
    else if (waiting.size === 1) timer.ref();
  }

  function remove(call: Waiting): void {
    waiting.delete(call);
    if (waiting.size === 0) timer?.unref();
  }

  return <T>(work: Promise<T>, recover?: (thrown: unknown) => Promise<T> | undefined) =>
    new Promise<T>((resolve, reject) => {
      const giveUp = () => reject(new CommandTimeout("no answer in time"));
      const call = { untilMs: performance.now() + timeoutMs, giveUp };
      const succeed = (reply: T) => {
        remove(call);
        resolve(reply);
      };
      const fail = (thrown: unknown) => {
        remove(call);
        reject(thrown);
      };
      add(call);
      work.then(succeed, (thrown: unknown) => {
        const again = recover?.(thrown);
        if (again === undefined) fail(thrown);
        else again.then(succeed, fail);
      });
    });
}
