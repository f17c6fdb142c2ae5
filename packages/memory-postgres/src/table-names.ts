/**
 * Where the tables are: the start of their names, and their schema. Default schema: the first schema of the
 * `search_path`.
 */
export interface TableNames {
  readonly tableName: string;
  readonly schema?: string | undefined;
}

/** The tables that a migration creates. Without `partitions`, they have no partitions. */
export interface TableLayout extends TableNames {
  readonly partitions?: number | undefined;
}

/** Where the tables are, with a known schema, so a later change of the `search_path` has no effect. */
export interface ResolvedNames extends TableNames {
  readonly schema: string;
}

/**
 * The pattern of `tableName`. It allows 40 characters, so the longest name that begins with it fits into Postgres's 63
 * bytes.
 */
export const TABLE_NAME_PATTERN = /^[a-z_][a-z0-9_]{0,39}$/;

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes a text as an SQL literal. The result is right with every setting of `standard_conforming_strings`. */
export function quoteLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes("\\") ? `E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

/**
 * Quotes the name of one of our tables, views or functions. The name consists of `tableName` and `suffix`. If `schema`
 * is given, the quoted schema comes before the name.
 */
export function qualifiedName({ tableName, schema }: TableNames, suffix = ""): string {
  const name = quoteIdentifier(`${tableName}${suffix}`);
  return schema === undefined ? name : `${quoteIdentifier(schema)}.${name}`;
}
