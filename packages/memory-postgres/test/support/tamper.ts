import type { TestStore } from "@jaf/memory/testing";
import type pg from "pg";

/** Changes rows, as a person with access to the database could. */
export const tamperIn =
  (admin: pg.Pool, schema: string): NonNullable<TestStore["tamper"]> =>
  async (conversationId, { kind, index }) => {
    const table = `"${schema}".conversations_messages`;
    const run = (sql: string, ...values: readonly unknown[]) =>
      admin.query(`${sql} AND conversation_id = $1`, [conversationId, ...values]);
    const { rows } = await run(`SELECT seq FROM ${table} WHERE true`);
    const seqs = rows.map(({ seq }: { readonly seq: string }) => Number(seq)).sort((a, b) => a - b);
    const seq = seqs[index] ?? 0;
    switch (kind) {
      case "change":
        // Changes the first string of any message.
        await run(`UPDATE ${table} SET body = regexp_replace(body, '(":").', '\\1~') WHERE seq = $2`, seq);
        return;
      case "remove":
        await run(`DELETE FROM ${table} WHERE seq = $2`, seq);
        return;
      case "double":
        await run(`UPDATE ${table} SET seq = -seq - 1 WHERE seq > $2`, seq);
        await run(`UPDATE ${table} SET seq = -seq WHERE seq < 0`);
        await run(
          `INSERT INTO ${table} SELECT conversation_id, seq + 1, body, is_tool_result, message_id, message_hash, digest
          FROM ${table} WHERE seq = $2`,
          seq,
        );
        return;
      case "swap":
        await run(
          `UPDATE ${table} SET seq = CASE seq WHEN $2 THEN -$3::bigint ELSE -$2::bigint END WHERE seq IN ($2, $3)`,
          seq,
          seq + 1,
        );
        await run(`UPDATE ${table} SET seq = -seq WHERE seq < 0`);
    }
  };
