import type { TurnLog } from "@jaf/memory";
import type { TestTurnLog } from "@jaf/memory/testing";

/** Runs SQL on the database that the logs are in, whoever opens them, and returns the rows. */
export type RunSql = (sql: string) => Promise<{ readonly rows: readonly unknown[] }>;

export interface TurnLogStores {
  readonly freshSchema: () => string;
  readonly open: (schema: string) => Promise<TurnLog>;
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
    const logs: TurnLog[] = [];
    const connect = async () => {
      const log = await open(schema);
      logs.push(log);
      return log;
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
        await Promise.all(logs.map((log) => log.close()));
        await runSql(`DELETE FROM "${schema}".conversations_turns`);
        idle.push(schema);
      },
    };
  };
}
