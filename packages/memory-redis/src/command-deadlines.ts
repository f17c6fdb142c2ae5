/** The server, or the client, which may be waiting for a connection, did not answer. */
export class CommandTimeout extends Error {
  override readonly name = "CommandTimeout";
}

interface PendingCall {
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
 * One timer for all pending calls: a timer for each would cost a good part of what a command costs. `onTimeout` is
 * called once for all that time out together, before their callers are told.
 */
export function createDeadlines(timeoutMs: number, onTimeout?: () => void): Deadlines {
  /** In the order in which they run out. */
  const pending = new Set<PendingCall>();
  let timer: NodeJS.Timeout | undefined;

  function expire(): void {
    timer = undefined;
    const now = performance.now();
    let expired = false;
    for (const call of pending) {
      if (call.untilMs > now) {
        timer = setTimeout(check, call.untilMs - now);
        break;
      }
      pending.delete(call);
      call.giveUp();
      expired = true;
    }
    if (expired) onTimeout?.();
  }

  // After the replies that arrived while the process was busy: those are in time.
  function check(): void {
    setImmediate(expire);
  }

  function add(call: PendingCall): void {
    pending.add(call);
    if (timer === undefined) timer = setTimeout(check, timeoutMs);
    else if (pending.size === 1) timer.ref();
  }

  function remove(call: PendingCall): void {
    pending.delete(call);
    if (pending.size === 0) timer?.unref();
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
