import type { ConversationMemory } from "@jaf/memory";
import { conversationCursor } from "@jaf/memory/adapter";
import { afterAll, expect, it } from "vitest";
import { migrate } from "../../src/index.ts";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, useClient } from "../support/stores.ts";

const schemas: string[] = [];

afterAll(() => dropSchemas(schemas));

interface Listed {
  readonly id: string;
  readonly owner: string | null;
  readonly at: Date;
}

const BEGIN = Date.UTC(2026, 0, 1);

/** Returns whole numbers below a limit, the same in each run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
}

const cursorOf = ({ id, at }: Listed) =>
  conversationCursor({
    conversationId: id,
    messages: [],
    metadata: { lastActivity: at },
  } as never as ConversationMemory);

it.each([undefined, 3])(
  "a page equals that of a sorted list, with equal times and times that were set back, in %s parts",
  async (partitions) => {
    const schema = freshSchema();
    schemas.push(schema);
    const layout = { schema, ...(partitions === undefined ? {} : { partitions }) };
    await useClient(async (client) => {
      await migrate(client, layout);
      const provider = await createProvider(layout, client);
      const table = `"${schema}".conversations`;
      await client.query(`SELECT setseed(0.5)`);
      await client.query(`INSERT INTO ${table} (conversation_id, user_id, last_activity, expires_at)
        SELECT 'c' || n, CASE WHEN n % 3 > 0 THEN 'u' || n % 3 END,
          to_timestamp(${BEGIN / 1_000} + floor(random() * 300)), CASE WHEN n % 11 = 0 THEN now() - interval '1 day' END
        FROM generate_series(1, 600) AS n`);
      const change = (time: string, part: number) =>
        client.query(`UPDATE ${table} SET last_activity = ${time} WHERE random() < ${part}`);
      for (let round = 0; round < 10; round++)
        await change("last_activity + make_interval(secs => floor(random() * 12000) / 1000)", 0.6);
      await change("last_activity - interval '3 seconds'", 0.05);
      await change("date_trunc('seconds', last_activity)", 0.5);
      const { rows } = await client.query<Listed>(
        `SELECT conversation_id AS id, user_id AS owner, last_activity AS at FROM ${table}
          WHERE (expires_at > now()) IS NOT FALSE ORDER BY last_activity DESC, conversation_id DESC`,
      );
      const below = numbers(7);
      for (let query = 0; query < 150; query++) {
        const userId = below(2) === 0 ? undefined : `u${1 + below(2)}`;
        const [since, until] = [350, 350].map((seconds) =>
          below(2) === 0 ? undefined : new Date(BEGIN + below(seconds) * 1_000),
        );
        const last = below(2) === 0 ? undefined : rows[below(rows.length)];
        const limit = 1 + below(below(2) === 0 ? 5 : 100);
        const offset = below(3) === 0 ? below(50) : 0;
        const isListed = ({ id, owner, at }: Listed): boolean =>
          (userId === undefined || owner === userId) &&
          (since === undefined || at >= since) &&
          (until === undefined || at <= until) &&
          (last === undefined || at < last.at || (at.getTime() === last.at.getTime() && id < last.id));
        const expected = rows.filter(isListed).slice(offset, offset + limit);
        const cursor = last && cursorOf(last);
        const asked = { userId, since, until, cursor, limit, offset, includeMessages: false };
        const given = Object.entries(asked).filter(([, value]) => value !== undefined);
        const found = await provider.findConversations(Object.fromEntries(given));
        const ids = found.success ? found.data.map(({ conversationId }) => conversationId) : found.error;
        expect(ids, JSON.stringify(asked)).toEqual(expected.map(({ id }) => id));
      }
    });
  },
);
