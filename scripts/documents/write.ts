/**
 * Writes the documents that the packages carry, `llms.txt` and `llms-full.txt`. `--check` writes nothing: it fails for a dead
 * link, for a page that no package carries, and for an `llms.txt` that isn't up to date.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { faultsOfSources } from "./check-links.ts";
import { llmsText } from "./llms.ts";

const root = resolve(import.meta.dirname, "../..");
const isCheck = process.argv.includes("--check");

const faults = [...faultsOfSources(root)];
if (isCheck && readFileSync(join(root, "llms.txt"), "utf8") !== llmsText(root))
  faults.push("llms.txt is out of date. To write it: npx pnpm@12.21.0 documents");
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
} else if (isCheck) console.log("The links of all documents lead somewhere, and llms.txt is up to date.");
else {
  // The check doesn't need the compiler.
  const { writeDocuments } = await import("./write-documents.ts");
  writeDocuments(root);
  console.log("The documents of the packages are written.");
}
