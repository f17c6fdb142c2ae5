import { findDriver } from "../../src/client/driver.ts";

/** The results of SQLite's own checks. */
export async function integrityOf(file: string) {
  const handle = (await findDriver("test"))(file);
  const [row] = handle.prepare("PRAGMA integrity_check").all() as { readonly integrity_check: string }[];
  const broken = handle.prepare("PRAGMA foreign_key_check").all();
  handle.close();
  return { integrity: row?.integrity_check, brokenReferences: broken.length };
}
