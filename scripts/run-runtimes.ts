/**
 * Runs the conversation of `check-edge.ts` under Node, Deno, Bun and workerd, on the packages as npm installs them, and prints
 * the sizes of bundles beside those of other agent frameworks. By hand, after `turbo run build`, as the runtimes are some
 * hundred megabytes:
 *
 *     mkdir runtimes && cd runtimes && npm init -y
 *     npm install deno bun workerd zod@4 ai@6 @openai/agents
 *     cd .. && node --import tsx scripts/run-runtimes.ts runtimes
 */

import { deepStrictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { transform } from "esbuild";
import { type Bundle, type BundleRequest, bundle } from "./bundle.ts";

const root = new URL("..", import.meta.url).pathname;
const [given] = process.argv.slice(2);
if (given === undefined) throw new Error("Expected the folder with the runtimes.");
const folder = resolve(given);

const PACKAGES = ["memory", "core", "model-http", "openai", "anthropic", "google", "ai-sdk"];
const tarballs = PACKAGES.map((name) => {
  const tarball = join(folder, `${name}.tgz`);
  execFileSync("npx", ["pnpm@12.21.0", "pack", "--out", tarball], {
    cwd: join(root, "packages", name),
    stdio: ["ignore", "ignore", "inherit"],
  });
  return tarball;
});
execFileSync("npm", ["install", "--no-audit", "--no-fund", "--no-save", ...tarballs], {
  cwd: folder,
  stdio: ["ignore", "ignore", "inherit"],
});

const source = readFileSync(join(root, "integration/test/support/edge/program.ts"), "utf8");
writeFileSync(
  join(folder, "program.mjs"),
  (await transform(source, { loader: "ts", target: "es2022" })).code,
);
writeFileSync(
  join(folder, "main.mjs"),
  'import { converse } from "./program.mjs";\nconsole.log(JSON.stringify(await converse()));\n',
);

const bin = (name: string): string => join(folder, "node_modules/.bin", name);
const runMain = (program: string, args: readonly string[]): unknown =>
  JSON.parse(execFileSync(program, [...args, "main.mjs"], { cwd: folder, encoding: "utf8" }));

const expected = runMain(process.execPath, []);
for (const [name, args] of [
  ["deno", ["run", "--allow-env"]],
  ["bun", []],
] as const) {
  deepStrictEqual(runMain(bin(name), args), expected);
  const [version] = execFileSync(bin(name), ["--version"], { encoding: "utf8" }).split("\n");
  console.log(`${name} (${version}): as Node ${process.version}.`);
}

// workerd has none of Node's modules unless it is asked for them, and takes what a bundler made with its conditions.
const worker = await bundle({
  code: `
    import { converse } from "./program.mjs";
    export default {
      async test() {
        const account = JSON.stringify(await converse());
        if (account !== ${JSON.stringify(JSON.stringify(expected))}) throw new Error("Another account: " + account);
      },
    };`,
  from: folder,
  conditions: ["workerd", "worker", "browser"],
});
writeFileSync(join(folder, "worker.mjs"), worker.code);
writeFileSync(
  join(folder, "config.capnp"),
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-01-01",
))]);
`,
);
execFileSync(bin("workerd"), ["test", "config.capnp"], {
  cwd: folder,
  stdio: ["ignore", "inherit", "inherit"],
});
console.log(
  `${execFileSync(bin("workerd"), ["--version"], { encoding: "utf8" }).trim()}: as Node, without its modules.`,
);

const ROWS: readonly (readonly [what: string, code: string])[] = [
  ["the pure functions of `@jaf/memory/history`", 'export * from "@jaf/memory/history"'],
  ["`createInMemoryProvider` of `@jaf/memory`", 'export { createInMemoryProvider } from "@jaf/memory"'],
  ["`run` of `@jaf/core`", 'export { run } from "@jaf/core"'],
  ["all of `@jaf/core`", 'export * from "@jaf/core"'],
  ["`createOpenAIProvider` of `@jaf/openai`", 'export { createOpenAIProvider } from "@jaf/openai"'],
  [
    "`createAnthropicProvider` of `@jaf/anthropic`",
    'export { createAnthropicProvider } from "@jaf/anthropic"',
  ],
  ["`createGoogleProvider` of `@jaf/google`", 'export { createGoogleProvider } from "@jaf/google"'],
  [
    "`run`, the in-memory store and `createOpenAIProvider`",
    'export { run } from "@jaf/core"; export { createInMemoryProvider } from "@jaf/memory"; export { createOpenAIProvider } from "@jaf/openai"',
  ],
  ["`generateText` of `ai`", 'export { generateText } from "ai"'],
  ["`run`, `Agent` of `@openai/agents-core`", 'export { run, Agent } from "@openai/agents-core"'],
  ["`run`, `Agent` of `@openai/agents`", 'export { run, Agent } from "@openai/agents"'],
];

const sizeOf = (request: BundleRequest): Promise<string> =>
  bundle(request).then(
    ({ gzipBytes }: Bundle) => `${(gzipBytes / 1_000).toFixed(1)} kB`,
    () => "doesn't bundle",
  );
console.log("\n| bundle | without zod | with zod |\n| --- | ---: | ---: |");
for (const [what, code] of ROWS) {
  const sizes = [
    await sizeOf({ code, from: folder, external: ["zod", "zod/*"] }),
    await sizeOf({ code, from: folder }),
  ];
  console.log(`| ${what} | ${sizes.join(" | ")} |`);
}
for (const name of ["ai", "@openai/agents", "@openai/agents-core", "zod"]) {
  const { version } = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
  console.log(`${name} ${version}`);
}
