import { spawn } from "node:child_process";
import { UsageError } from "./names.ts";

/** The package manager that runs this program, e.g. `npm`. */
export const packageManager = (userAgent = process.env["npm_config_user_agent"] ?? ""): string =>
  /^(pnpm|yarn|bun)\//.exec(userAgent)?.[1] ?? "npm";

/** Codes and texts by which the package managers say that they reach no registry. */
const UNREACHABLE = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|ConnectionRefused/;

/** Installs the dependencies. Rejects with a `UsageError` of one line if that fails, or is interrupted by Ctrl-C. */
export async function install(folder: string, manager: string, environment = process.env): Promise<void> {
  const child = spawn(manager, ["install"], {
    cwd: folder,
    // The commands are scripts on Windows.
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "pipe"],
    // Without a registry, npm otherwise tries again for minutes.
    env: { npm_config_fetch_retries: "1", npm_config_fetch_retry_mintimeout: "1000", ...environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      output += text;
    });
  }
  let interrupted = false;
  const interrupt = (): void => {
    interrupted = true;
    child.kill();
  };
  // Once, so that a second Ctrl-C ends this program even if the package manager doesn't end.
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  const status = await new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", resolve);
  });
  process.off("SIGINT", interrupt);
  process.off("SIGTERM", interrupt);
  const repeat = `The files are in ${folder}; run "${manager} install" there.`;
  if (interrupted) throw new UsageError(`${manager} install was interrupted. ${repeat}`);
  if (status === 0) return;
  const [unreachable] = UNREACHABLE.exec(output) ?? [];
  const reason =
    unreachable === undefined
      ? (/^(?:npm error|npm ERR!|error|\s*ERR_\w+) .*$/im.exec(output)?.[0] ?? `it ended with ${status}`)
      : `the registry can't be reached (${unreachable})`;
  throw new UsageError(`${manager} install failed: ${reason}. ${repeat}`);
}
