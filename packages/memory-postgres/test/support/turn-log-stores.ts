import type { TurnLog } from "@jaf/memory";
import type { TestTurnLog } from "@jaf/memory/testing";

/** Runs SQL on the database that the logs are in, whoever opens them, and returns the rows. */
type RunSql = (sql: string) => Promise<{ readonly rows: readonly unknown[] }>;

export interface OpenedTurnLog {
  readonly log: TurnLog;
  /** Closes what is only for this log. */
  readonly end?: () => Promise<void>;
}

interface TurnLogStores {
  readonly freshSchema: () => string;
  readonly open: (schema: string) => Promise<OpenedTurnLog>;
  readonly runSql: RunSql;
}

/** Logs in schemas that are used again once their test is over, since making the tables takes longer than most tests. */
export function createTurnLogStores({
  freshSchema,
  open,
  runSql,
}: TurnLogStores): () => Promise<TestTurnLog> {
  const idle: string[] = [];
  return async () => {
    const schema = idle.pop() ?? freshSchema();
    const opened: OpenedTurnLog[] = [];
    const connect = async () => {
      const one = await open(schema);
      opened.push(one);
      return one.log;
    };
    return {
      log: await connect(),
      connect,
      contents: async () => {
        const { rows } = await runSql(`SELECT to_json(turn)::text FROM "${schema}".conversations_turns AS turn
          UNION ALL SELECT to_json(event)::text FROM "${schema}".conversations_turn_events AS event`);
        return JSON.stringify(rows);
      },
      dispose: async () => {
        await Promise.all(opened.map(({ log }) => log.close()));
        await Promise.all(opened.map(({ end }) => end?.()));
        await runSql(`DELETE FROM "${schema}".conversations_turns`);
        idle.push(schema);
      },
    };
  };
}
