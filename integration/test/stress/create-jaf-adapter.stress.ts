import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReleasedRegistry, startReleasedRegistry } from "../../../test/released.ts";

const written = fileURLToPath(
  new URL("../../../packages/create-jaf-adapter/test/filled/backend.ts", import.meta.url),
);

let registry: ReleasedRegistry;
/** The user's folder, which is empty at first. */
let folder: string;
let created: string;

beforeAll(async () => {
  registry = await startReleasedRegistry();
  folder = await mkdtemp(join(tmpdir(), "jaf-adapter-"));
  created = join(folder, "jaf-memory-lmdb");
}, 600_000);

afterAll(async () => {
  await registry?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly status: number;
  readonly output: string;
}

/** Runs a command to its end, and prints how long it took. */
function run(cwd: string, command: string, environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const [program = "", ...args] = command.split(" ");
  const start = performance.now();
  const env = { ...registry.environment, CI: "", NO_COLOR: "1", ...environment };
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, timeout: 240_000, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      console.log(`${((performance.now() - start) / 1_000).toFixed(1)} s  ${command}`);
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ status, output: stdout + stderr });
    });
  });
}

async function expectSuccess(cwd: string, command: string, environment?: NodeJS.ProcessEnv): Promise<string> {
  const { status, output } = await run(cwd, command, environment);
  expect(status, output).toBe(0);
  return output;
}

/** The functions that failed rules of the kit name. */
const unwrittenIn = (output: string): readonly string[] =>
  [...output.matchAll(/^RuleBroken: Not written yet: `(\w+)` in src\/backend\.ts\.$/gm)].map(
    ([, name = ""]) => name,
  );

const failuresIn = (output: string): number => output.match(/^ *FAIL /gm)?.length ?? 0;

test("npm create jaf-adapter makes a package that compiles, builds, and is found by its name", async () => {
  const output = await expectSuccess(folder, "npm create --yes jaf-adapter@latest jaf-memory-lmdb -- --yes");
  expect(output).toContain("Created jaf-memory-lmdb. Next: cd jaf-memory-lmdb && npm test");
  await expectSuccess(created, "npm run typecheck");
  await expectSuccess(created, "npm run build");
});

test("what its instructions name is installed", async () => {
  const instructions = await readFile(join(created, "AGENTS.md"), "utf8");
  const named = [...instructions.matchAll(/\]\((node_modules\/[^)#]+)\)/g)].map(([, path = ""]) => path);
  expect(named).toEqual(["node_modules/@jaf/memory/docs/adding-a-provider.md"]);
  for (const path of named) {
    const text = await readFile(join(created, path), "utf8");
    const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = ""]) => target);
    expect(linked.length).toBeGreaterThan(0);
    for (const target of linked) await access(join(created, path, "..", target));
  }
});

test("its tests fail once for each function that isn't written, and name the first one first", async () => {
  const smoke = await run(created, "npm test");
  expect(smoke.status).not.toBe(0);
  expect(unwrittenIn(smoke.output), smoke.output).toEqual(["ping", "close", "write", "read"]);
  expect(failuresIn(smoke.output)).toBe(4);
  expect(smoke.output).toContain("✓ test/discovery.test.ts (2 tests)");
  const all = await run(created, "npx vitest run test/conformance");
  expect([...unwrittenIn(all.output)].sort(), all.output).toEqual(
    ["ping", "close", "write", "read", "stats", "find", "delete", "clearUser"].sort(),
  );
  expect(failuresIn(all.output)).toBe(8);
});

test("its tests pass once the functions are written", async () => {
  const code = await readFile(written, "utf8");
  const named = code
    .replaceAll("my-store", "lmdb")
    .replaceAll("MyStore", "Lmdb")
    .replaceAll("../../template/src/", "./");
  await writeFile(join(created, "src/backend.ts"), named);
  // This backend stores in the process, so its author removes the second one.
  const harness = join(created, "test/harness.ts");
  const inOneProcess = (await readFile(harness, "utf8")).replace(/^ *process: .*\n/m, "");
  await writeFile(harness, inOneProcess);
  console.log(`${named.trimEnd().split("\n").length} lines in src/backend.ts`);
  const output = await expectSuccess(created, "npm test");
  expect(output).toMatch(
    /^lmdb: skipped \d+ of the rules: the harness offers no `process`, so nothing tests two processes at once\.$/m,
  );
});

test("its tests run with a second process, whose module is TypeScript", async () => {
  await expectSuccess(
    created,
    "npm install --prefer-offline --save-dev @jaf/memory-sqlite @photostructure/sqlite@1",
  );
  const code = `import { join } from "node:path";
    import { createSqliteBackend, sqliteConfigSchema } from "@jaf/memory-sqlite";
    import type { LmdbOptions } from "./config.ts";
    export const openLmdbBackend = ({ location }: LmdbOptions) =>
      createSqliteBackend(sqliteConfigSchema.parse({ file: join(location, "memory.db") }));`;
  const backend = await readFile(join(created, "src/backend.ts"), "utf8");
  const harness = await readFile(join(created, "test/harness.ts"), "utf8");
  const process =
    'process: { module: new URL("./provider-process.ts", import.meta.url), argument: location },';
  await writeFile(join(created, "src/backend.ts"), code);
  await writeFile(
    join(created, "test/harness.ts"),
    harness.replace("connect: open,", `connect: open, ${process}`),
  );
  const output = await expectSuccess(created, "npx vitest run test/conformance -t two\\sprocesses");
  expect(output).toMatch(/Tests +\d{2,} passed/);
  expect(output).not.toContain("the harness offers no `process`");
  await writeFile(join(created, "src/backend.ts"), backend);
  await writeFile(join(created, "test/harness.ts"), harness);
});

test("an application installs it, and stores and reads by JAF_MEMORY_TYPE", async () => {
  const packed = await expectSuccess(created, "npm pack --silent --ignore-scripts");
  const application = join(folder, "application");
  await mkdir(application);
  await writeFile(join(application, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const tarball = join(created, packed.trim().split("\n").at(-1) ?? "");
  await expectSuccess(application, `npm install --prefer-offline @jaf/memory ${tarball}`);
  await writeFile(
    join(application, "main.js"),
    `import { createMemoryProviderFromEnv } from "@jaf/memory";
    const memory = await createMemoryProviderFromEnv();
    await memory.storeMessages("c", [{ role: "user", content: "Hello" }]);
    const { data } = await memory.getConversation("c");
    console.log(data.messages[0].content);
    await memory.close();`,
  );
  const environment = { JAF_MEMORY_TYPE: "lmdb", JAF_LMDB_LOCATION: "here" };
  expect(await expectSuccess(application, "node main.js", environment)).toBe("Hello\n");
});

test("what the user did wrong is one line", async () => {
  const faults: Readonly<Record<string, RegExp>> = {
    "jaf-memory-lmdb": /^The folder \S+ isn't empty\. .+\n$/,
    Store: /^"Store" is no name for an adapter\. .+\n$/,
    "": /^Name the package, e\.g\. jaf-memory-lmdb\. See --help\.\n$/,
    "--colour": /^Unknown option '--colour'\. See --help\.\n$/,
  };
  for (const [argument, expected] of Object.entries(faults)) {
    const { status, output } = await run(
      folder,
      `npm exec --yes --silent create-jaf-adapter -- ${argument}`.trim(),
    );
    expect(status).toBe(1);
    expect(output).toMatch(expected);
  }
});
