import { basename } from "node:path";
import { type Environment, PACKAGE_MANAGERS, type PackageManager } from "./choices.ts";

/** The package manager that runs this program, by the variable that all of them set. Default: npm. */
export function callingPackageManager(environment: Environment): PackageManager {
  const [name] = (environment["npm_config_user_agent"] ?? "").split("/");
  return PACKAGE_MANAGERS.find((manager) => manager === name) ?? "npm";
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

const PROGRAM = /^(npm|pnpm|yarn|bun)(?:-cli)?(?:\.[cm]?js|\.exe)?$/;

/**
 * The command that runs a package manager. The one that runs this program is taken from where it is, because it may be
 * missing in PATH, e.g. after `npx pnpm create jaf`.
 */
export function commandOf(
  manager: PackageManager,
  args: readonly string[],
  environment: Environment,
): Command {
  const path = environment["npm_execpath"] ?? "";
  const [, name] = PROGRAM.exec(basename(path)) ?? [];
  if (name !== manager) return { program: manager, args };
  return /\.[cm]?js$/.test(path)
    ? { program: process.execPath, args: [path, ...args] }
    : { program: path, args };
}

/** How a user runs a script of package.json. */
export const scriptCommand = (manager: PackageManager, script: string): string =>
  script === "start" && manager !== "bun" ? `${manager} start` : `${manager} run ${script}`;
