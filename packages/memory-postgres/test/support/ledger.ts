import type pg from "pg";

type Query = (sql: string) => Promise<unknown>;

/** Returns a function that makes the sums in a schema older by whole days. */
export const ageIn =
  (schema: string, query: Query) =>
  async (days: number): Promise<void> => {
    const tables = `"${schema}".conversations_ledger`;
    await query(`UPDATE ${tables} SET day = day - ${days}`);
    // The total of a month is that of its last day, or of today.
    await query(`UPDATE ${tables}_totals SET began = CASE period WHEN 'day' THEN began - ${days}
      ELSE date_trunc('month', least((now() AT TIME ZONE 'UTC')::date, (began + interval '1 month')::date - 1)
        - interval '${days} days')::date END`);
  };

export const queryOn =
  (client: pg.Pool | pg.Client): Query =>
  (sql) =>
    client.query(sql);
