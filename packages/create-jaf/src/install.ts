import { spawn, spawnSync } from "node:child_process";
import type { Environment, PackageManager } from "./choices.ts";
import { Failure } from "./failure.ts";
import { commandOf } from "./package-managers.ts";

/** Codes by which the package managers say that they reach no registry. */
const UNREACHABLE = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|ConnectionRefused/;
const REASON = /^(?:npm (?:error|ERR!) (?!code )|error:? |.*\bERR_\w+).*$/im;

const DEFAULTS = {
  // Without a registry, npm would try again for minutes.
  npm_config_fetch_retries: "1",
  npm_config_fetch_retry_mintimeout: "1000",
  // Yarn refuses to write a new lockfile in CI.
  YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
};

interface Installation {
  readonly folder: string;
  readonly packageManager: PackageManager;
  readonly environment: Environment;
}

/** Throws a {@link Failure} if a package manager can't be started. */
export function requirePackageManager(packageManager: PackageManager, environment: Environment): void {
  const { program, args } = commandOf(packageManager, ["--version"], environment);
  const isWindows = process.platform === "win32";
  const { error, status } = spawnSync(program, args, { env: environment, shell: isWindows });
  if (error === undefined && (!isWindows || status === 0)) return;
  throw new Failure(
    `${packageManager} can't be started: install it, or choose another --package-manager. Nothing was written.`,
  );
}

/** Installs the packages of a project. Rejects with a {@link Failure} that repeats what the package manager says. */
export async function install({ folder, packageManager, environment }: Installation): Promise<void> {
  const { program, args } = commandOf(packageManager, ["install"], environment);
  const env = { ...DEFAULTS, ...environment };
  const child = spawn(program, args, { cwd: folder, env, shell: process.platform === "win32" });
  const stop = () => child.kill();
  process.once("exit", stop);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const ended = await new Promise<number | null | Error>((resolve) => {
    child.once("error", resolve).once("close", resolve);
  });
  process.off("exit", stop);
  if (ended === 0) return;
  if (ended instanceof Error)
    throw new Failure(`${packageManager} can't be started: install it, or choose another --package-manager`);
  throw new Failure(`${packageManager} install failed: ${reasonIn(output)}`);
}

/** Why a package manager failed, in one line without a full stop. */
function reasonIn(output: string): string {
  const [code] = UNREACHABLE.exec(output) ?? [];
  if (code !== undefined) return `the registry can't be reached (${code})`;
  const [line = output.trim().split("\n").at(-1) ?? ""] = REASON.exec(output) ?? [];
  return line.trim().replace(/\.$/, "");
}
