import { setImmediate as nextTurn } from "node:timers/promises";
import { isBusy, type SqliteClient } from "./client/client.ts";

type Use<T> = (client: SqliteClient) => T;

interface Write {
  /** Makes the write, and returns a function that acknowledges it. */
  readonly run: Use<() => void>;
  readonly reject: (thrown: unknown) => void;
}

/** The writes of this process, in the order of their calls. */
interface WriteQueue {
  readonly add: <T>(use: Use<T>) => Promise<T>;
  /** Resolves when all writes that were added before have ended. */
  readonly drained: () => Promise<void>;
}

/** The maximum number of writes in one transaction. They block this process, so they must be few. */
const GROUP_SIZE = 32;

/** Makes a write of a group. If it fails, only its own changes are undone. */
function runNested(client: SqliteClient, write: Write): () => void {
  client.exec("SAVEPOINT one");
  try {
    const acknowledge = write.run(client);
    client.exec("RELEASE one");
    return acknowledge;
  } catch (thrown) {
    if (isBusy(thrown)) throw thrown;
    client.exec("ROLLBACK TO one");
    client.exec("RELEASE one");
    return () => write.reject(thrown);
  }
}

/**
 * Creates a queue whose writes `transact` makes, each in a write transaction. Writes that wait at the same time share a
 * transaction: most of a transaction's time is spent on flushing it to the disk.
 */
export function createWriteQueue(transact: <T>(use: Use<T>) => Promise<T>): WriteQueue {
  const waiting: Write[] = [];
  let draining: Promise<void> | undefined;

  async function writeAlone({ run, reject }: Write): Promise<void> {
    try {
      (await transact(run))();
    } catch (thrown) {
      reject(thrown);
    }
  }

  async function writeGroup(group: readonly Write[]): Promise<void> {
    try {
      const done = await transact((client) => group.map((write) => runNested(client, write)));
      for (const acknowledge of done) acknowledge();
    } catch {
      // E.g. a full disk: SQLite has undone all of them, and the smaller ones may still fit.
      for (const write of group) await writeAlone(write);
    }
  }

  async function drain(): Promise<void> {
    for (;;) {
      // Between two transactions, this process does other work, and other processes find the file unlocked.
      await nextTurn();
      const group = waiting.splice(0, GROUP_SIZE);
      const [first] = group;
      if (first === undefined) break;
      await (group.length === 1 ? writeAlone(first) : writeGroup(group));
    }
    draining = undefined;
  }

  return {
    add: (use) =>
      new Promise((resolve, reject) => {
        const run: Write["run"] = (client) => {
          const result = use(client);
          return () => resolve(result);
        };
        waiting.push({ run, reject });
        draining ??= drain();
      }),
    drained: async () => draining,
  };
}
