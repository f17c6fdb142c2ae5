import { execFile, execFileSync } from "node:child_process";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { installTool } from "../../../test/tools.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
let folder: string;

/** What pnpm reads of a fresh clone before it runs a script. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "jaf-first-run-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const read = ["*package.json", "pnpm-*.yaml", ".pnpmfile.cjs", "scripts/installed.mjs"];
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...read], { cwd: root });
  for (const file of String(listed).trim().split("\n")) await cp(join(root, file), join(folder, file));
});

/** Runs one of the README's commands. Its output is that of both streams. */
async function runScript(
  script: string,
  environment: NodeJS.ProcessEnv,
): Promise<{ code: number; output: string }> {
  const pnpm = join(await installTool("pnpm", manifest.devEngines.packageManager.version), ".bin", "pnpm");
  // Without the settings of the pnpm that runs this test.
  const own = Object.entries(process.env).filter(([name]) => !/^(npm|pnpm)_/i.test(name));
  const env = { ...Object.fromEntries(own), ...environment };
  return new Promise((resolve) => {
    execFile(pnpm, [script], { cwd: folder, env, maxBuffer: 100_000_000 }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: `${stdout}${stderr}` }),
    );
  });
}

it.each([
  ["16.20.2", "demo"],
  ["18.20.8", "demo"],
  ["20.10.0", "test"],
])("Node %s is told at once, by %s, that it is too old", async (version, script) => {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const old = join(await installTool(name, version), name, "bin");
  const { code, output } = await runScript(script, { PATH: `${old}${delimiter}${process.env["PATH"]}` });
  expect(output).toContain(`This project requires Node.js >=20.19. Your current Node.js is v${version}`);
  expect(code).not.toBe(0);
  expect(await readdir(folder)).not.toContain("node_modules");
});

it("Without a registry, pnpm gives up within minutes, and a line says what to do", async () => {
  const { code, output } = await runScript("demo", {
    pnpm_config_registry: "http://127.0.0.1:9/",
    pnpm_config_store_dir: join(folder, "store"),
    pnpm_config_cache_dir: join(folder, "cache"),
  });
  expect(output).toMatch(/^JAF's packages aren't installed, .* set a registry that you can reach .*\.$/m);
  // The demo itself would fail with a stack trace.
  expect(output).not.toContain("ERR_MODULE_NOT_FOUND");
  expect(code).not.toBe(0);
});
