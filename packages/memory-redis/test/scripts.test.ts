import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { embeddedScripts } from "../scripts/embed-scripts.ts";

it("embeds the scripts as they are in their files", () => {
  const embedded = readFileSync(new URL("../src/scripts/embedded.ts", import.meta.url), "utf8");
  expect(embedded).toBe(embeddedScripts());
});
