import { findDriver } from "../../src/client/driver.ts";

/** Returns everything that the tables contain, as JSON. */
export async function contentsOf(file: string, tables: readonly string[]): Promise<string> {
  const handle = (await findDriver("test"))(file);
  const rows = tables.flatMap((table) => handle.prepare(`SELECT * FROM ${table}`).all());
  handle.close();
  return JSON.stringify(rows);
}
