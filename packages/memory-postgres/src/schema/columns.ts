import { bigint, customType, PgSchema, type PgTableFn, pgTable } from "drizzle-orm/pg-core";
import type { TableNames } from "./names.ts";

// Byte order: texts are compared exactly, and a system update that changes a locale can't corrupt their indexes.

/** An id of at most 255 characters. */
export const idColumn = customType<{ data: string }>({ dataType: () => 'varchar(255) COLLATE "C"' });

/** A text of any length that is compared as an id is, e.g. a hash. */
export const exactTextColumn = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });

export const bytesColumn = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** A whole number up to 2⁵³. */
export const countColumn = (name: string) => bigint(name, { mode: "number" });

/** Makes tables of a schema; of the connection's where none is named. */
export const tableIn = ({ schema }: Pick<TableNames, "schema">): PgTableFn =>
  // Not `pgSchema`, which refuses an explicit "public".
  schema === undefined ? pgTable : (new PgSchema(schema).table as unknown as PgTableFn);
