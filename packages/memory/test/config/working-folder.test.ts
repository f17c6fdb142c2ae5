// Tests which packages of the working folder can run. One separate process runs all cases.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleProcess } from "../../../../test/process-bundle.ts";

const run = promisify(execFile);
const source = pathToFileURL(await bundleProcess(new URL("../../src/index.ts", import.meta.url))).href;

let root = "";

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

const adapterOf = (type: string) => `
console.log("ran ${type}");
const pass = (value) => ({ success: true, data: value });
const configSchema = { safeParse: pass, safeParseAsync: async (value) => pass(value) };
export const adapter = { type: "${type}", configSchema, environment: {}, create: () => ({}) };
`;

/** Creates an adapter's package in a folder. It prints that it ran. */
function plant(folder: string, name: string): void {
  const type = name.replace(/^(@jaf\/|jaf-)memory-/, "");
  write(`${folder}/index.js`, adapterOf(type));
  write(`${folder}/package.json`, JSON.stringify({ name, type: "module", exports: "./index.js" }));
}

const SCRIPT = `
import { createMemoryProvider, createMemoryProviderFromEnv } from ${JSON.stringify(source)};
const told = (thrown) => console.log(thrown.name + ": " + thrown.message);
for (const [folder, type, way] of JSON.parse(process.env.CASES)) {
  process.chdir(folder);
  const opened = way === "environment"
    ? createMemoryProviderFromEnv({}, { JAF_MEMORY_TYPE: type })
    : createMemoryProvider({ type });
  await opened.then(() => console.log("opened " + type), told);
  console.log("--");
}`;

type Case = readonly [folder: string, type: string, way?: "environment"];

interface Running {
  /** Arguments of the process after the evaluated code. */
  readonly args?: readonly string[];
}

/** Returns the output of each case. */
async function open(cases: readonly Case[], { args = [] }: Running = {}): Promise<readonly string[]> {
  const options = ["--input-type=module", "--eval", SCRIPT];
  const placed = cases.map(([folder, ...rest]) => [join(root, folder), ...rest]);
  const env = { ...process.env, CASES: JSON.stringify(placed), NODE_OPTIONS: "" };
  const { stdout } = await run(process.execPath, [...options, ...args], { cwd: tmpdir(), env });
  return stdout
    .split("--\n")
    .map((text) => text.trim())
    .slice(0, -1);
}

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "jaf-working-")));
});
afterAll(() => rmSync(root, { recursive: true }));

describe("a package in the working folder", { concurrent: true }, () => {
  it("isn't run unless the folder's own package.json declares it, and the error says so", async () => {
    const manifests: Readonly<Record<string, string | undefined>> = {
      none: undefined,
      other: '{ "dependencies": { "@jaf/memory": "1" } }',
      scripts:
        '{ "scripts": { "jaf-memory-x": "1" }, "files": ["jaf-memory-x"], "keywords": ["jaf-memory-x"] }',
      list: '{ "dependencies": ["jaf-memory-x"] }',
      value: '{ "dependencies": { "jaf-memory-x": null } }',
      broken: '{ "dependencies": { "jaf-memory-x": "1" }',
      "named-so": '{ "name": "jaf-memory-x" }',
    };
    for (const [folder, manifest] of Object.entries(manifests)) {
      plant(`${folder}/node_modules/jaf-memory-x`, "jaf-memory-x");
      plant(`${folder}/node_modules/@jaf/memory-x`, "@jaf/memory-x");
      if (manifest !== undefined) write(`${folder}/package.json`, manifest);
    }
    const cases = Object.keys(manifests).flatMap((folder): Case[] => [
      [folder, "x"],
      [folder, "x", "environment"],
    ]);
    const outcomes = await open(cases);
    expect(outcomes).toHaveLength(14);
    for (const outcome of outcomes) {
      expect(outcome).toMatch(/^MemorySetupError: .*no adapter of type "x" is installed\. .*jaf-memory-x/);
      expect(outcome).toContain("in the working folder is used only if the package.json there declares it");
      expect(outcome).toContain("registerMemoryAdapter");
      expect(outcome).not.toContain("ran ");
      expect(outcome).not.toContain(root);
    }
  });

  it("isn't run from a parent folder either", async () => {
    plant("above/node_modules/jaf-memory-x", "jaf-memory-x");
    write("above/package.json", '{ "dependencies": { "jaf-memory-x": "1" } }');
    write("above/below/package.json", '{ "dependencies": {} }');
    mkdirSync(join(root, "above/bare"));
    const [undeclared, bare] = await open([
      ["above/below", "x"],
      ["above/bare", "x"],
    ]);
    expect(undeclared).toMatch(/^MemorySetupError: /);
    expect(bare).toMatch(/^MemorySetupError: /);
  });

  it("is run if any of its dependency lists declares it, wherever the package manager puts it", async () => {
    const fields = ["dependencies", "optionalDependencies", "devDependencies", "peerDependencies"];
    for (const field of fields) {
      plant(`${field}/node_modules/jaf-memory-x`, "jaf-memory-x");
      write(`${field}/package.json`, JSON.stringify({ [field]: { "jaf-memory-x": "^1.0.0" } }));
    }
    // One declared name doesn't allow the other.
    plant("dependencies/node_modules/@jaf/memory-x", "@jaf/memory-x");
    // npm workspaces: hoisted to the root. pnpm: a link into its store.
    plant("workspaces/node_modules/@jaf/memory-x", "@jaf/memory-x");
    write("workspaces/member/package.json", '{ "dependencies": { "@jaf/memory-x": "1" } }');
    plant("pnpm/node_modules/.pnpm/jaf-memory-x@1/node_modules/jaf-memory-x", "jaf-memory-x");
    const store = join(root, "pnpm/node_modules/.pnpm/jaf-memory-x@1/node_modules/jaf-memory-x");
    symlinkSync(store, join(root, "pnpm/node_modules/jaf-memory-x"));
    write("pnpm/package.json", '{ "dependencies": { "jaf-memory-x": "1" } }');
    symlinkSync(join(root, "pnpm"), join(root, "linked"));
    const outcomes = await open([
      ...fields.map((field): Case => [field, "x"]),
      ["workspaces/member", "x"],
      ["pnpm", "x"],
      ["linked", "x"],
    ]);
    expect(outcomes).toHaveLength(7);
    for (const outcome of outcomes) expect(outcome).toMatch(/opened x$/);
  });

  it.each(["../x", "x/../../y", "..", "x\n", "%2e%2e/x", "X", "x\0", "@jaf/memory-x", ""])(
    "is never looked for under the type %j",
    async (type) => {
      const { createMemoryProvider, createMemoryProviderFromEnv } = await import("../../src/index.ts");
      await expect(createMemoryProvider({ type } as never)).rejects.toThrow("expected a lower-case letter");
      if (type.trim() === "" || type.trim() === "x") return; // Variables are trimmed, and an empty one counts as not set.
      const opened = createMemoryProviderFromEnv({}, { JAF_MEMORY_TYPE: type });
      await expect(opened).rejects.toThrow("expected a lower-case letter");
    },
  );

  it("isn't run for an argument of evaluated code that looks like a main script", async () => {
    plant("uploads/node_modules/jaf-memory-x", "jaf-memory-x");
    write("uploads/file.js", "");
    mkdirSync(join(root, "elsewhere"));
    const [outcome] = await open([["elsewhere", "x"]], { args: [join(root, "uploads/file.js")] });
    expect(outcome).toMatch(/^MemorySetupError: /);
  });

  it("is ignored in favour of the application's package with the other name", async () => {
    plant("both/node_modules/@jaf/memory-x", "@jaf/memory-x");
    plant("both/node_modules/jaf-memory-x", "jaf-memory-x");
    write("both/package.json", '{ "dependencies": { "jaf-memory-x": "1" } }');
    write("both/node_modules/@jaf/memory-x/index.js", 'console.log("ran the planted one");');
    expect(await open([["both", "x"]])).toEqual(["ran x\nopened x"]);
  });
});
