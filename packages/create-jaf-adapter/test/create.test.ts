import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { createFiles, refuseUsedFolder, version } from "../src/create.ts";
import { install, packageManager } from "../src/install.ts";
import { namesOf } from "../src/names.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "create-jaf-adapter-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
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

test("the package manager that runs the program installs", () => {
  expect(packageManager("pnpm/12.21.0 npm/? node/v20.20.2 linux x64")).toBe("pnpm");
  expect(packageManager("npm/11.0.0 node/v20.20.2 linux x64 workspaces/false")).toBe("npm");
  expect(packageManager("")).toBe("npm");
});
