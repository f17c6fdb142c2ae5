/**
 * The names of the tables begin with `tableName`. Without `schema`, they are in the first schema of the `search_path`.
 */
export interface TableNames {
  readonly tableName: string;
  readonly schema?: string | undefined;
}

/** The tables that a migration creates. Without `partitions`, they aren't partitioned. */
export interface TableLayout extends TableNames {
  readonly partitions?: number | undefined;
}

/** The names of existing tables, with their schema. */
export interface ResolvedNames extends TableNames {
  readonly schema: string;
}

/** The pattern of `tableName`. */
// At most 40 characters, so the longest name that begins with it fits into Postgres's 63 bytes.
export const TABLE_NAME_PATTERN = /^[a-z_][a-z0-9_]{0,39}$/;

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes a text as an SQL literal. */
export function quoteLiteral(text: string): string {
  // The result is right with every setting of `standard_conforming_strings`.
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes("\\") ? `E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

/**
 * Returns the quoted name of one of our tables, views or functions: `tableName` and `suffix`, after the `schema` if
 * there is one.
 */
export function qualifiedName({ tableName, schema }: TableNames, suffix = ""): string {
  const name = quoteIdentifier(`${tableName}${suffix}`);
  return schema === undefined ? name : `${quoteIdentifier(schema)}.${name}`;
}
