import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generatedScripts, scriptFolders } from "../scripts/generate-scripts.ts";

it.each(scriptFolders)("embeds the scripts as they are in their files (%#)", (folder) => {
  const embedded = readFileSync(new URL("generated-scripts.ts", folder), "utf8");
  expect(embedded).toBe(generatedScripts(folder));
});
