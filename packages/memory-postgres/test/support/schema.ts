import { runSql } from "./stores.ts";

const QUERIES = {
  columns: `SELECT table_name || '.' || column_name || ' ' || data_type
      || coalesce('(' || coalesce(character_maximum_length, datetime_precision)::text || ')', '')
      || coalesce(' collate ' || collation_name, '') || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END
      || coalesce(' default ' || column_default, '')
    FROM information_schema.columns WHERE table_schema = $schema ORDER BY table_name, ordinal_position`,
  constraints: `SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = to_regnamespace($schema) AND contype <> 'n' ORDER BY 1`,
  indexes: `SELECT indexdef FROM pg_indexes WHERE schemaname = $schema ORDER BY indexname`,
  triggers: `SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
    WHERE relnamespace = to_regnamespace($schema) AND NOT tgisinternal ORDER BY 1`,
  functions: `SELECT p.proname || '(' || pg_get_function_arguments(p.oid) || ')'
      || CASE WHEN prosecdef THEN ' as its owner' ELSE '' END || coalesce(' ' || p.proconfig::text, '')
    FROM pg_proc p WHERE pronamespace = to_regnamespace($schema) ORDER BY 1`,
  // Postgres names the table of a column only before 16.
  views: `SELECT viewname || ':' || replace(definition, 'conversation.', '')
    FROM pg_views WHERE schemaname = $schema ORDER BY 1`,
} as const;

/** Describes the content of a schema as text for reviews. */
export async function describeSchema(schema: string): Promise<string> {
  const parts: string[] = [];
  for (const [title, query] of Object.entries(QUERIES)) {
    const { rows } = await runSql(query.replaceAll("$schema", `'${schema}'`));
    const lines = rows.flatMap((row: Record<string, string>) => Object.values(row));
    parts.push(`${title}\n${lines.map((line) => `  ${line}`).join("\n")}\n`);
  }
  return parts.join("\n").replaceAll(`${schema}.`, "");
}
