import { readFileSync, writeFileSync } from "node:fs";
import { describeMachine } from "../machine.ts";
import { formatFiles, replaceMarked } from "../report/docs.ts";

const page = new URL("../../../docs/recall.md", import.meta.url);

/** Puts tables into the documentation. */
export function writeRecallDocs(tables: Readonly<Record<string, string>>, load: number | undefined): void {
  const takenOn = new Date().toISOString().slice(0, 10);
  const disturbed = load === undefined ? "" : ` Other work ran beside it (load ${load.toFixed(1)}).`;
  let document = readFileSync(page, "utf8");
  if ("speed" in tables)
    document = replaceMarked(document, "run", `One run on ${takenOn}: ${describeMachine()}.${disturbed}`);
  for (const [name, text] of Object.entries(tables)) document = replaceMarked(document, name, text);
  writeFileSync(page, document);
  formatFiles([page]);
}
