import type { TurnLog, VersionedMemoryProvider } from "@jaf/memory";
import type { TestTurnLog } from "@jaf/memory/testing";

/** Runs SQL on the database of the logs, regardless of their openers, and returns the rows. */
type RunSql = (sql: string) => Promise<{ readonly rows: readonly unknown[] }>;

export interface OpenedTurnLog {
  readonly log: TurnLog;
  /** A provider with the same client. */
  readonly provider?: VersionedMemoryProvider;
  /** Closes what belongs only to this log. */
  readonly end?: () => Promise<void>;
}

interface TurnLogStores {
  readonly freshSchema: () => string;
  readonly open: (schema: string) => Promise<OpenedTurnLog>;
  readonly runSql: RunSql;
}

/** Creates logs in schemas that are reused after their test, since creating the tables takes longer than most tests. */
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
      return one;
    };
    const { log, provider } = await connect();
    return {
      ...{ log, connect: async () => (await connect()).log },
      ...(provider === undefined ? {} : { provider }),
      contents: async () => {
        const { rows } = await runSql(`SELECT to_json(turn)::text FROM "${schema}".conversations_turns AS turn
          UNION ALL SELECT to_json(event)::text FROM "${schema}".conversations_turn_events AS event`);
        return JSON.stringify(rows);
      },
      dispose: async () => {
        await provider?.deleteConversation("c");
        await Promise.all(opened.map((one) => one.log.close()));
        await Promise.all(opened.map(({ end }) => end?.()));
        await runSql(`DELETE FROM "${schema}".conversations_turns`);
        idle.push(schema);
      },
    };
  };
}
