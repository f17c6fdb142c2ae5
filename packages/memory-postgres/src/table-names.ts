/** The place of the tables: a prefix for their names and a schema. Default schema: the first of the `search_path`. */
export interface TableNames {
  readonly tableName: string;
  readonly schema?: string | undefined;
}

/** The layout that a migration creates, with or without partitions. */
export interface TableLayout extends TableNames {
  readonly partitions?: number | undefined;
}

/** The permanent place of the tables, independent of the `search_path`. */
export interface ResolvedNames extends TableNames {
  readonly schema: string;
}

/** 40 characters leave room for the longest derived name within Postgres's 63 bytes. */
export const TABLE_NAME_PATTERN = /^[a-z_][a-z0-9_]{0,39}$/;

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes a text. Works with every setting of `standard_conforming_strings`. */
export function quoteLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes("\\") ? `E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

/** Quotes the name of one of our tables, views or functions, and qualifies it if the schema is known. */
export function qualifiedName({ tableName, schema }: TableNames, suffix = ""): string {
  const name = quoteIdentifier(`${tableName}${suffix}`);
  return schema === undefined ? name : `${quoteIdentifier(schema)}.${name}`;
}
