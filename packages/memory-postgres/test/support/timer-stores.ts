import type { Timers } from "@jaf/memory";
import type { TestTimers } from "@jaf/memory/testing";

export interface OpenedTimers {
  readonly timers: Timers;
  /** Closes what belongs only to these timers. */
  readonly end?: () => Promise<void>;
}

interface TimerStores {
  readonly freshSchema: () => string;
  readonly open: (schema: string) => Promise<OpenedTimers>;
  /** Runs SQL on the database of the timers, regardless of their openers, and returns the rows. */
  readonly runSql: (sql: string) => Promise<{ readonly rows: readonly unknown[] }>;
}

/** Creates timers in schemas that are reused after their test, since creating the table takes longer than most tests. */
export function createTimerStores({ freshSchema, open, runSql }: TimerStores): () => Promise<TestTimers> {
  const idle: string[] = [];
  return async () => {
    const schema = idle.pop() ?? freshSchema();
    const table = `"${schema}".conversations_timers`;
    const opened: OpenedTimers[] = [];
    const connect = async () => {
      const one = await open(schema);
      opened.push(one);
      return one.timers;
    };
    return {
      ...{ timers: await connect(), connect },
      contents: async () =>
        JSON.stringify((await runSql(`SELECT to_json(timer)::text FROM ${table} AS timer`)).rows),
      dispose: async () => {
        await Promise.all(opened.map(({ timers }) => timers.close()));
        await Promise.all(opened.map(({ end }) => end?.()));
        await runSql(`DELETE FROM ${table}`);
        idle.push(schema);
      },
    };
  };
}
