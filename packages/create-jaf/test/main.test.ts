import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { main } from "../src/main.ts";

let parent: string;
let folder: string;
let printed: string[];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "jaf-create-"));
  folder = join(parent, "my-agent");
  printed = [];
  for (const method of ["log", "error"] as const)
    vi.spyOn(console, method).mockImplementation((line: string) => void printed.push(line));
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(parent, { recursive: true });
});

const create = (...argv: readonly string[]) => main([...argv, "--yes", "--no-install"], {});

describe("npm create jaf", () => {
  it("writes the project by default choices, and says how to start it", async () => {
    expect(await create(folder)).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({
      name: "my-agent",
    });
    expect(printed).toEqual([`my-agent is ready:\n  cd ${folder}\n  npm install\n  npm start`]);
  });

  it("says what is needed before the start", async () => {
    await create(folder, "--model", "anthropic", "--storage", "redis");
    expect(printed[0]).toContain("# add ANTHROPIC_API_KEY to .env\n  docker compose up -d");
  });

  it("uses an empty folder, also with a repository", async () => {
    mkdirSync(join(folder, ".git"), { recursive: true });
    expect(await create(folder)).toBe(0);
  });

  it("never writes into a folder with files", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "notes.txt"), "mine");
    expect(await create(folder)).toBe(1);
    expect(printed).toEqual([`The folder ${folder} isn't empty: choose another one. Nothing was changed.`]);
    expect(existsSync(join(folder, "package.json"))).toBe(false);
  });

  it("never takes a file for a folder", async () => {
    writeFileSync(folder, "mine");
    expect(await create(folder)).toBe(1);
    expect(printed[0]).toMatch(/can't be used as a folder \(ENOTDIR\)/);
  });

  it.each(["My Agent", "node_modules", ".hidden", "ä"])("refuses the name %j in one line", async (name) => {
    expect(await create(join(parent, name))).toBe(1);
    expect(printed[0]).toMatch(/^".+" can't be the name of a package: .*\.$/);
  });

  it("refuses an empty name", async () => {
    expect(await create("")).toBe(1);
    expect(printed).toEqual(["The folder's name is empty: give one, e.g. my-agent."]);
  });

  it("prints its usage and its version", async () => {
    expect([await create("--help"), await create("--version")]).toEqual([0, 0]);
    expect(printed).toEqual([
      expect.stringContaining("--no-install"),
      expect.stringMatching(/^\d+\.\d+\.\d+/),
    ]);
  });
});
