import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { releasedPackages } from "../scripts/release/packages.ts";
import { scratchRepository } from "./scratch-repository.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));

const PNPM = ["npx", "--yes", "pnpm@12.21.0"];

/** Without what the package manager that runs the tests says of itself, which npm would repeat. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^p?npm_/i.test(name)),
);

/** Resolves to what a command prints, also if it fails. */
async function outputOf(cwd: string, ...command: readonly string[]): Promise<string> {
  const [program = "", ...args] = command;
  const ended = await promisify(execFile)(program, args, { cwd, env: ENVIRONMENT }).catch((failed) => failed);
  return `${ended.stdout}${ended.stderr}`;
}

it("guards every published package", () => {
  for (const { folder } of releasedPackages(repository)) {
    const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    expect(scripts, folder).toMatchObject({
      prepack: "node ../../scripts/release/guard.mjs pack",
      prepublishOnly: "node ../../scripts/release/guard.mjs publish",
    });
  }
});

it("lets only pnpm pack a package", async () => {
  const { root, write } = scratchRepository();
  write({ "packages/a/dist/index.js": "" });
  const output = await outputOf(join(root, "packages/a"), "npm", "pack");
  expect(output).toContain("@jaf/a must be packed by pnpm");
  expect(readdirSync(join(root, "packages/a")).sort()).toEqual(["dist", "package.json"]);
});

it("packs only what is built", async () => {
  const { root, write } = scratchRepository();
  const folder = join(root, "packages/a");
  const pack = () => outputOf(folder, ...PNPM, "pack", "--out", "a.tgz");
  expect(await pack()).toContain("@jaf/a isn't built: ./dist/index.js is missing.");
  expect(existsSync(join(folder, "a.tgz"))).toBe(false);

  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  write({
    "packages/a/dist/index.js": "",
    "packages/a/package.json": JSON.stringify({ ...manifest, files: ["dist", "SKILL.md"] }),
  });
  expect(await pack()).toContain("@jaf/a lacks SKILL.md.");
  expect(existsSync(join(folder, "a.tgz"))).toBe(false);

  write({ "packages/a/SKILL.md": "" });
  await pack();
  const packed = await outputOf(folder, "tar", "-xzOf", "a.tgz", "package/package.json");
  expect(JSON.parse(packed)).not.toHaveProperty("scripts.prepack");
  expect(JSON.parse(packed)).not.toHaveProperty("scripts.prepublishOnly");
});

it.each([
  { manager: "npm", command: ["npm", "publish"] },
  { manager: "pnpm", command: [...PNPM, "publish", "--no-git-checks"] },
])("lets no package be published by itself with $manager", async ({ command }) => {
  const { root, write } = scratchRepository();
  write({ "packages/a/dist/index.js": "" });
  // Nothing listens on port 1, if it came to that.
  const options = ["--registry", "http://127.0.0.1:1", "--dry-run"];
  const output = await outputOf(join(root, "packages/a"), ...command, ...options);
  expect(output).toContain("@jaf/a is published with the other packages.");
});
