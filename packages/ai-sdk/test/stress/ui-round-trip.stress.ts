import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

/** AI SDK 7 needs Node 22, which is installed as a package. */
const NODE = `node-${process.platform}-${process.arch}`;
const PACKAGES = [`${NODE}@22.23.3`, "ai-5@npm:ai@5.0.277", "ai-7@npm:ai@7.0.173", "zod@4.6.7"];

const folder = mkdtempSync(join(tmpdir(), "jaf-ai-versions-"));
const child = fileURLToPath(new URL("../support/ui-round-trip-child.ts", import.meta.url));
const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

beforeAll(() => {
  writeFileSync(join(folder, "package.json"), "{}");
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--no-save", ...PACKAGES], {
    cwd: folder,
    stdio: "ignore",
  });
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  { name: "ai-5", node: process.execPath, specification: "v2" },
  { name: "ai-7", node: join(folder, "node_modules", NODE, "bin/node"), specification: "v4" },
])("what a stream of $name says comes back exactly", ({ name, node, specification }) => {
  const args = ["--import", tsx, "--conditions=@jaf/source", child, folder, name, "20"];
  expect(JSON.parse(execFileSync(node, args, { encoding: "utf8" }))).toEqual({ specification, exact: 20 });
});
