import type { Inbox } from "@jaf/memory";
import type { TestInbox } from "@jaf/memory/testing";

export interface OpenedInbox {
  readonly inbox: Inbox;
  /** Closes what belongs only to this inbox. */
  readonly end?: () => Promise<void>;
}

interface InboxStores {
  readonly freshSchema: () => string;
  readonly open: (schema: string) => Promise<OpenedInbox>;
  /** Runs SQL on the database of the inboxes, regardless of their openers, and returns the rows. */
  readonly runSql: (sql: string) => Promise<{ readonly rows: readonly unknown[] }>;
}

/** Creates inboxes in schemas that are reused after their test, since creating the tables takes longer than most tests. */
export function createInboxStores({ freshSchema, open, runSql }: InboxStores): () => Promise<TestInbox> {
  const idle: string[] = [];
  return async () => {
    const schema = idle.pop() ?? freshSchema();
    const [inboxes, entries] = [
      `"${schema}".conversations_inboxes`,
      `"${schema}".conversations_inbox_entries`,
    ];
    const opened: OpenedInbox[] = [];
    const connect = async () => {
      const one = await open(schema);
      opened.push(one);
      return one.inbox;
    };
    return {
      ...{ inbox: await connect(), connect },
      age: async (seconds) => {
        await runSql(`UPDATE ${entries} SET put_at = put_at - interval '${seconds} seconds'`);
        await runSql(`UPDATE ${inboxes} SET since = since - interval '${seconds} seconds',
          known_until = known_until - interval '${seconds} seconds'`);
      },
      contents: async () => {
        const { rows } = await runSql(`SELECT to_json(box)::text FROM ${inboxes} AS box
          UNION ALL SELECT to_json(entry)::text FROM ${entries} AS entry`);
        return JSON.stringify(rows);
      },
      dispose: async () => {
        await Promise.all(opened.map(({ inbox }) => inbox.close()));
        await Promise.all(opened.map(({ end }) => end?.()));
        await runSql(`DELETE FROM ${inboxes}`);
        idle.push(schema);
      },
    };
  };
}
