import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { embeddedScripts, scriptFolders } from "../scripts/embed-scripts.ts";

it.each(scriptFolders)("embeds the scripts as they are in their files (%#)", (folder) => {
  const embedded = readFileSync(new URL("embedded.ts", folder), "utf8");
  expect(embedded).toBe(embeddedScripts(folder));
});
