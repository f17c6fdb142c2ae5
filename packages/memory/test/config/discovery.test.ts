// The installed packages depend on the folders, so each case runs in its own process.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const packageRoot = fileURLToPath(new URL("../..", import.meta.url));
const tsx = pathToFileURL(realpathSync(join(packageRoot, "../../node_modules/tsx/dist/loader.mjs"))).href;
let app = "";

const write = (file: string, text: string) => {
  mkdirSync(dirname(join(app, file)), { recursive: true });
  writeFileSync(join(app, file), text);
};

const adapterOf = (type: string, exported: string) => `
import { createInMemoryProvider } from "@jaf/memory";
const pass = (value) => ({ success: true, data: value });
const configSchema = { safeParse: pass, safeParseAsync: async (value) => pass(value) };
${exported} { type: "${type}", configSchema, environment: {}, create: () => ({ ...createInMemoryProvider(), from: "${type}" }) };
`;

function install(name: string, source: string, manifest: object): void {
  write(`app/node_modules/${name}/index.js`, source);
  write(`app/node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0", ...manifest }));
}

beforeAll(() => {
  app = mkdtempSync(join(tmpdir(), "jaf-lookup-"));
  mkdirSync(join(app, "app/node_modules/@jaf"), { recursive: true });
  // Like a package manager with isolated packages: the real folder sees none of the application's.
  symlinkSync(packageRoot, join(app, "app/node_modules/@jaf/memory"));
  write(
    "app/package.json",
    '{ "type": "module", "dependencies": { "@jaf/memory-scoped": "1", "jaf-memory-third": "1" } }',
  );
  write(
    "app/main.js",
    `import { createMemoryProviderFromEnv } from "@jaf/memory";
    for (const type of process.env.TYPES.split(" ")) {
      await createMemoryProviderFromEnv({}, { JAF_MEMORY_TYPE: type }).then(
        (provider) => console.log("opened " + provider.from),
        (thrown) => console.log(thrown.name + ": " + thrown.message, thrown.error?.cause?.message),
      );
    }`,
  );
  const esm = { type: "module", exports: { ".": { import: { default: "./index.js" } } } };
  install("@jaf/memory-scoped", adapterOf("scoped", "export const adapter ="), {
    type: "module",
    exports: "./index.js",
  });
  install("jaf-memory-scoped", "throw new Error('the other one goes first');", { main: "index.js" });
  install("jaf-memory-third", adapterOf("third", "export const adapter ="), esm);
  install(
    "jaf-memory-common",
    adapterOf("common", "exports.adapter =").replace(
      /import .* from .*;/,
      "const createInMemoryProvider = () => ({});",
    ),
    { main: "index.js" },
  );
  install("jaf-memory-peerless", 'import "a-driver";', esm);
  install("jaf-memory-thrower", 'throw new Error("s3cret");', esm);
  install("jaf-memory-empty", "export const other = 1;", esm);
  install("jaf-memory-liar", adapterOf("truth", "export const adapter ="), esm);
});
afterAll(() => rmSync(app, { recursive: true }));

const entry = () => join(app, "app/main.js");
const folder = () => join(app, "app");

interface Process {
  readonly cwd: string;
  readonly args: readonly string[];
}

/** Returns the result of opening each type. */
async function open(types: readonly string[], { cwd, args }: Process): Promise<readonly string[]> {
  const options = ["--conditions=@jaf/source", "--import", tsx, ...args];
  const env = { ...process.env, TYPES: types.join(" "), NODE_OPTIONS: "" };
  const { stdout } = await run(process.execPath, options, { cwd, env });
  return stdout.trim().split("\n");
}

describe("an installed adapter of the application", { concurrent: true }, () => {
  it("is found by its package name from the application's entry, and checked", async () => {
    const types = ["scoped", "third", "common", "peerless", "absent", "thrower", "empty", "liar"];
    const outcomes = await open(types, { cwd: tmpdir(), args: [entry()] });
    expect(outcomes.join()).not.toContain("s3cret");
    expect(outcomes).toEqual([
      "opened scoped",
      "opened third",
      "opened common",
      expect.stringMatching(/^MemorySetupError: .*jaf-memory-peerless is installed but fails.*a-driver/),
      expect.stringMatching(/^MemorySetupError: .*npm install @jaf\/memory-absent/),
      expect.stringMatching(
        /^MemorySetupError: .*jaf-memory-thrower is installed but fails to load \(Error\)/,
      ),
      expect.stringMatching(/^MemorySetupError: .*jaf-memory-empty has no valid export "adapter"/),
      expect.stringMatching(/^MemorySetupError: .*"adapter" export of jaf-memory-liar has another type/),
    ]);
  });

  it("is found from the working folder if the entry is unknown", async () => {
    const code = `import("${pathToFileURL(entry()).href}")`;
    const outcomes = await open(["scoped", "third"], { cwd: folder(), args: ["--eval", code] });
    expect(outcomes).toEqual(["opened scoped", "opened third"]);
  });
});
