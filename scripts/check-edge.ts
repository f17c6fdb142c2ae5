/**
 * Checks that the built packages load and run without Node's modules: bundles each entry for browsers, compares the sizes
 * with their limits, and runs a conversation with only the web's globals. Run `turbo run build` first.
 */

import { deepStrictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = new URL("..", import.meta.url).pathname;
// In `docs`, because every package of the workspace can be imported from there.
const from = join(root, "docs");

const PACKAGES = ["core", "memory", "model-http", "openai", "anthropic", "google", "ai-sdk"];
/** A conformance kit can only be imported in a vitest run. */
const KIT = "@jaf/memory/testing";
/** User memory needs Node's modules. */
const ON_USER_MEMORY = "@jaf/ai-sdk/user-memory";

const entries = PACKAGES.flatMap((folder) => {
  const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
  return Object.keys(manifest.exports).map((entry) => manifest.name + entry.slice(1));
}).filter((entry) => entry !== KIT && entry !== ON_USER_MEMORY);

/** Bundles a module for browsers. Throws for an import that can't be resolved, such as a Node module. */
async function bundle(code: string, external: readonly string[] = [], format: "esm" | "iife" = "esm") {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: from, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: "browser",
    target: "es2022",
    format,
    external: [...external],
    logLevel: "silent",
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild gave no file.");
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  return { code: file.text, gzipBytes: gzipSync(file.contents, { level: 9 }).length, imports };
}

interface Bound {
  readonly what: string;
  readonly code: string;
  /** In thousands of bytes, with gzip. */
  readonly kB: number;
  /** The imports that aren't bundled. The application uses zod, too. */
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
    kB: 77.2,
    external: ["zod"],
  },
];

const kB = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;

async function checkEntry(entry: string): Promise<void> {
  const { imports } = await bundle(`export * from ${JSON.stringify(entry)};`, ["zod"]);
  const others = imports.filter((name) => name !== "zod" && !name.startsWith("gpt-tokenizer/"));
  if (others.length > 0) throw new Error(`A bundle of ${entry} imports ${others.join(", ")}.`);
}

async function checkBound({ what, code, kB: most, external }: Bound): Promise<void> {
  const { gzipBytes, imports } = await bundle(code, external);
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

/** The globals that browsers and edge runtimes have in common, as far as we use them. */
const WEB =
  "AbortController AbortSignal Blob DOMException Event EventTarget Headers ReadableStream Request Response TextDecoder " +
  "TextDecoderStream TextEncoder TransformStream URL URLSearchParams WritableStream atob btoa console crypto fetch " +
  "performance queueMicrotask structuredClone";

/** Runs it with only the globals of browsers: no `process`, no `Buffer`, no `require`. */
async function runOnTheWeb(code: string): Promise<unknown> {
  const timers = new Map<number, NodeJS.Timeout>();
  // The web's timers are numbers, without the methods of Node's.
  const keep = (timer: NodeJS.Timeout): number => {
    timers.set(Number(timer), timer);
    return Number(timer);
  };
  const clear = (id: number | undefined): void => clearTimeout(id && timers.get(id));
  const context = createContext({
    ...Object.fromEntries(WEB.split(" ").map((name) => [name, Reflect.get(globalThis, name)])),
    setTimeout: (action: () => void, milliseconds?: number) => keep(setTimeout(action, milliseconds)),
    setInterval: (action: () => void, milliseconds?: number) => keep(setInterval(action, milliseconds)),
    clearTimeout: clear,
    clearInterval: clear,
  });
  try {
    runInContext(code, context);
    return await runInContext("checked", context);
  } finally {
    for (const timer of timers.values()) clearTimeout(timer);
  }
}

for (const entry of entries) await checkEntry(entry);
for (const bound of BOUNDS) await checkBound(bound);
const ran = await runOnTheWeb(
  (
    await bundle(
      `import { converse, refusalOfName } from ${JSON.stringify(program)};
      globalThis.checked = converse().then(async (account) => JSON.stringify([account, await refusalOfName("redis")]));`,
      [],
      "iife",
    )
  ).code,
);
const [account, refusal] = JSON.parse(String(ran));
// The same sources in Node, with Node's own hashes.
const { converse } = await import(program);
const expected = JSON.parse(JSON.stringify(await converse()));
deepStrictEqual(account, expected);
if (!/is registered, and adapters can.t be found by name without Node.s modules/.test(refusal))
  throw new Error(`Unexpected: ${refusal}`);
console.log(`${entries.length} entries bundle for browsers, and a conversation runs with what the web has.`);
