/**
 * Whether the built packages load and run without Node's modules: bundles each entry for browsers, holds the sizes against
 * their bounds, and runs a conversation where there is nothing but what the web has. Expects `turbo run build` to have run.
 */

import { deepStrictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { type Bundle, bundle } from "./bundle.ts";
import { openWeb } from "./web-globals.ts";

const root = new URL("..", import.meta.url).pathname;
// In the documentation, because that is where every package of the workspace can be imported from.
const from = join(root, "docs");

const PACKAGES = ["core", "memory", "model-http", "openai", "anthropic", "google", "ai-sdk"];
/** A conformance kit can be imported in a vitest run only. */
const KIT = "@jaf/memory/testing";

const entries = PACKAGES.flatMap((folder) => {
  const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
  return Object.keys(manifest.exports).map((entry) => manifest.name + entry.slice(1));
}).filter((entry) => entry !== KIT);

interface Bound {
  readonly what: string;
  readonly code: string;
  /** In thousands of bytes, by gzip. */
  readonly kB: number;
  /** What it may import; zod is the application's, too. */
  readonly external: readonly string[];
}

const BOUNDS: readonly Bound[] = [
  {
    what: "the pure functions",
    code: 'export * from "@jaf/memory/history";',
    kB: 12,
    external: [],
  },
  {
    what: "`run` in one file without zod",
    code: 'export { run } from "@jaf/core";',
    kB: 77,
    external: ["zod"],
  },
];

const kB = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;

async function checkEntry(entry: string): Promise<void> {
  const code = `export * from ${JSON.stringify(entry)};`;
  const { imports } = await bundle({ code, from, external: ["zod"] });
  const others = imports.filter((name) => name !== "zod" && !name.startsWith("gpt-tokenizer/"));
  if (others.length > 0) throw new Error(`A bundle of ${entry} imports ${others.join(", ")}.`);
}

async function checkBound({ what, code, kB: most, external }: Bound): Promise<void> {
  const { gzipBytes, imports } = await bundle({ code, from, external });
  const others = imports.filter((name) => !external.includes(name));
  if (others.length > 0) throw new Error(`The bundle of ${what} imports ${others.join(", ")}.`);
  if (gzipBytes > most * 1_000) {
    throw new Error(
      `The bundle of ${what} has ${kB(gzipBytes)} by gzip, and at most ${most} kB are allowed.`,
    );
  }
  console.log(`${what}: ${kB(gzipBytes)} by gzip (at most ${most} kB).`);
}

const program = join(root, "integration/test/support/edge/program.ts");

/** Runs it where only what browsers have is there: no `process`, no `Buffer`, no `require`. */
async function runOnTheWeb({ code }: Bundle): Promise<unknown> {
  const { globals, close } = openWeb();
  try {
    const context = createContext({ ...globals });
    runInContext(code, context);
    return await runInContext("checked", context);
  } finally {
    close();
  }
}

for (const entry of entries) await checkEntry(entry);
for (const bound of BOUNDS) await checkBound(bound);
const ran = await runOnTheWeb(
  await bundle({
    code: `
      import { converse, refusalOfName } from ${JSON.stringify(program)};
      globalThis.checked = converse().then(async (account) => JSON.stringify([account, await refusalOfName("redis")]));`,
    from,
    format: "iife",
  }),
);
const [account, refusal] = JSON.parse(String(ran));
// The same sources under Node, with Node's own hashes.
const { converse } = await import(program);
const expected = JSON.parse(JSON.stringify(await converse()));
deepStrictEqual(account, expected);
if (!/is registered, and without Node's modules/.test(refusal)) throw new Error(`Unexpected: ${refusal}`);
console.log(`${entries.length} entries bundle for browsers, and a conversation runs with what the web has.`);
