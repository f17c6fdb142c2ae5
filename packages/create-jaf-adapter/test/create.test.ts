import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { createFiles, refuseUsedFolder, version } from "../src/create.ts";
import { install, packageManager } from "../src/install.ts";
import { namesOf } from "../src/names.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "create-jaf-adapter-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly status: number | null; readonly output: string }>;
}

/** Starts the program without a terminal. */
function startProgram(cwd: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Program {
  const child = spawn(process.execPath, ["--import", tsx, main, ...args], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      output += text;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, ended: ended.then((status) => ({ status, output })) };
}

describe("a name", () => {
  it("is that of the store or of the package, with or without a path", () => {
    for (const name of ["lmdb", "jaf-memory-lmdb", "packages/jaf-memory-lmdb", "./lmdb"])
      expect(namesOf(name)).toEqual({ type: "lmdb", packageName: "jaf-memory-lmdb" });
  });

  it.each(["", ".", "Lmdb", "jaf-memory-", "1db", "my_db", "a".repeat(51), "@me/db!", "ümlaut"])(
    "%j is refused in one line",
    (name) => {
      expect(() => namesOf(name)).toThrow(/^"[^\n]*" is no name for an adapter\. [^\n]+$/);
    },
  );

  it.each(["@me/jaf-memory-lmdb", "@me/lmdb"])(
    "%s is refused, because JAF finds no name with a scope",
    (name) => {
      expect(() => namesOf(name)).toThrow(
        /^"@me[^\n]*" is no name for an adapter\. Leave the scope out: [^\n]+$/,
      );
      expect(namesOf(`./${name}`).packageName).toBe("jaf-memory-lmdb");
    },
  );

  it.each(["memory", "redis", "jaf-memory-postgres"])("%s is taken", (name) => {
    expect(() => namesOf(name)).toThrow("is an adapter of JAF's own");
  });
});

describe("the created package", () => {
  it("has these files, with its own names in all of them", () => {
    const folder = makeFolder();
    const files = createFiles(folder, namesOf("big-table"));
    expect([...files].sort()).toEqual([
      ...[".github/workflows/ci.yml", ".gitignore", "AGENTS.md", "LICENSE", "README.md", "package.json"],
      ...["src/backend.ts", "src/config.ts", "src/index.ts", "src/provider.ts"],
      ...["test/application.mjs", "test/conformance.test.ts", "test/discovery.test.ts", "test/harness.ts"],
      "test/provider-process.ts",
      ...["test/smoke.test.ts", "tsconfig.build.json", "tsconfig.json", "vitest.config.ts"],
    ]);
    const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
    expect(text).not.toMatch(/my-?store|my_store|JAF_VERSION|THIS_YEAR/i);
    for (const name of ["createBigTableProvider", '"big-table"', "JAF_BIG_TABLE_LOCATION"])
      expect(text).toContain(name);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    expect(manifest).toMatchObject({
      name: "jaf-memory-big-table",
      peerDependencies: { "@jaf/memory": `^${version}` },
    });
  });

  it("is only written to a folder without files", () => {
    const folder = makeFolder();
    refuseUsedFolder(folder);
    createFiles(folder, namesOf("lmdb"));
    const before = statSync(join(folder, "README.md")).mtimeMs;
    expect(() => refuseUsedFolder(folder)).toThrow(/^The folder \S+ isn't empty\. [^\n]+$/);
    expect(statSync(join(folder, "README.md")).mtimeMs).toBe(before);
  });
});

test("a folder that can't be made is one line", async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, "file"), "");
  const under = await startProgram(folder, ["file/lmdb", "--no-install"]).ended;
  expect(under).toEqual({
    status: 1,
    output: `The folder ${join(folder, "file/jaf-memory-lmdb")} can't be written: it, or a folder above it, is a file.\n`,
  });
  writeFileSync(join(folder, "jaf-memory-lmdb"), "");
  expect(() => refuseUsedFolder(join(folder, "jaf-memory-lmdb"))).toThrow(
    /can't be read: it, or [^\n]+ is a file\.$/,
  );
});

// The superuser may write to every folder.
test.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
  "a folder without the permission to write is one line",
  () => {
    const folder = makeFolder();
    chmodSync(folder, 0o555);
    expect(() => createFiles(join(folder, "jaf-memory-lmdb"), namesOf("lmdb"))).toThrow(
      /^The folder \S+ can't be written: you have no permission\.$/,
    );
  },
);

test("a registry out of reach is one line, and the files stay", async () => {
  const folder = makeFolder();
  createFiles(folder, namesOf("lmdb"));
  // Nothing listens on port 1.
  const environment = {
    ...process.env,
    npm_config_registry: "http://127.0.0.1:1/",
    npm_config_cache: join(folder, ".cache"),
  };
  await expect(install(folder, "npm", environment)).rejects.toThrow(
    /^npm install failed: the registry can't be reached \(ECONNREFUSED\)\. [^\n]+$/,
  );
  expect(readdirSync(folder)).toContain("package.json");
});

test("a package manager that isn't there is one line", async () => {
  await expect(install(makeFolder(), "no-such-manager")).rejects.toThrow(
    /^no-such-manager install failed: [^\n]+$/,
  );
});

test.skipIf(process.platform === "win32")(
  "Ctrl-C during the installation is one line, and fails; no log has frames of a spinner",
  async () => {
    const folder = makeFolder();
    // A package manager that says that it has begun, and then doesn't end by itself.
    writeFileSync(join(folder, "npm"), `#!/bin/sh\ntouch "${folder}/begun"\nexec sleep 600\n`, {
      mode: 0o755,
    });
    const { child, ended } = startProgram(folder, ["jaf-memory-lmdb"], {
      PATH: `${folder}:${process.env["PATH"]}`,
      npm_config_user_agent: "npm/11.0.0",
      NO_COLOR: "1",
      FORCE_COLOR: undefined,
    });
    await expect.poll(() => existsSync(join(folder, "begun"))).toBe(true);
    child.kill("SIGINT");
    const { status, output } = await ended;
    expect(status).toBe(1);
    expect(output.trimEnd().split("\n").at(-1)).toMatch(
      /^npm install was interrupted\. The files are in \S+jaf-memory-lmdb; run "npm install" there\.$/,
    );
    expect(output).not.toContain("\u001b[");
    expect(output.match(/Installing/g)).toHaveLength(1);
    expect(readdirSync(join(folder, "jaf-memory-lmdb"))).toContain("package.json");
  },
);

test("the package manager that runs the program installs", () => {
  expect(packageManager("pnpm/12.21.0 npm/? node/v20.20.2 linux x64")).toBe("pnpm");
  expect(packageManager("npm/11.0.0 node/v20.20.2 linux x64 workspaces/false")).toBe("npm");
  expect(packageManager("")).toBe("npm");
});
