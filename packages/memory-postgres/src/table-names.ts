/** Where the tables are: a prefix for their names, and the schema, or the first of the `search_path` if absent. */
export interface TableNames {
  readonly tableName: string;
  readonly schema?: string | undefined;
}

/** What a migration makes: the tables, in one piece or in parts. */
export interface TableLayout extends TableNames {
  readonly partitions?: number | undefined;
}

/** Where the tables are for good, whatever becomes of the `search_path`. */
export interface ResolvedNames extends TableNames {
  readonly schema: string;
}

/** 40 characters leave room for the longest derived name within Postgres' 63 bytes. */
export const TABLE_NAME_PATTERN = /^[a-z_][a-z0-9_]{0,39}$/;

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Whatever `standard_conforming_strings` says of backslashes. */
export function quoteLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes("\\") ? `E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

/** A table, view or function of ours, quoted and, if the schema is known, qualified. */
export function qualifiedName({ tableName, schema }: TableNames, suffix = ""): string {
  const name = quoteIdentifier(`${tableName}${suffix}`);
  return schema === undefined ? name : `${quoteIdentifier(schema)}.${name}`;
}
