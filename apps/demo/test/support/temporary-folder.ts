import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeDatabase } from "../../../../test/pglite-folder.ts";

/** A separate folder for each test. `remove` deletes it. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), "jaf-demo-"));
  return {
    path,
    data: join(path, "data"),
    /** Puts an empty database into `data`, which the demo otherwise creates in seconds. */
    placeDatabase: () => placeDatabase(join(path, "data", "postgres")),
    write: (name: string, text: string): string => {
      const file = join(path, name);
      writeFileSync(file, text);
      return file;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
