import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PackageManager } from "./package-managers.ts";
import { README } from "./readme.ts";

/** How a command ended. */
export interface Ran {
  /** All that it printed, without colors. */
  readonly output: string;
  readonly succeeded: boolean;
}

/** A project of an application in a folder of its own, which one package manager installs. */
export interface Project {
  readonly manager: PackageManager;
  readonly write: (file: string, text: string) => Promise<void>;
  /** Runs the package manager, and prints how long it took. */
  readonly manage: (...args: readonly string[]) => Promise<Ran>;
  /** Runs a file of the project. */
  readonly run: (file: string) => Promise<Ran>;
  readonly remove: () => Promise<void>;
}

/** Makes an empty project with the README's program as `main.mjs` and `main.cjs`. */
export async function createProject(
  manager: PackageManager,
  environment: NodeJS.ProcessEnv,
): Promise<Project> {
  const parent = await mkdtemp(join(tmpdir(), "jaf-project-"));
  const folder = join(parent, "app");
  await mkdir(folder);
  const write = (file: string, text: string) => writeFile(join(folder, file), text);
  // yarn takes a folder with a lockfile for a project of its own, and not for a part of a folder above.
  const manifest = { "package.json": JSON.stringify({ name: "app", private: true }), "yarn.lock": "" };
  const files = {
    ...(manager.name.startsWith("yarn") ? manifest : { "package.json": manifest["package.json"] }),
    ...manager.settings,
    "main.mjs": README.module,
    "main.cjs": README.commonjs,
  };
  await Promise.all(Object.entries(files).map(([file, text]) => write(file, text)));

  const execute = ([program = "", ...args]: readonly string[]): Promise<Ran> =>
    new Promise((resolve) => {
      const options = { cwd: folder, env: { ...environment, NO_COLOR: "1" }, maxBuffer: 2 ** 24 };
      execFile(program, args, options, (error, stdout, stderr) =>
        resolve({ output: `${stdout}${stderr}`, succeeded: error === null }),
      );
    });
  return {
    manager,
    write,
    manage: async (...args) => {
      const start = performance.now();
      const ran = await execute([...manager.program, ...args]);
      console.log(`${manager.name} ${args.join(" ")}: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
      return ran;
    },
    run: (file) => execute([...manager.node, file]),
    remove: () => rm(parent, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Returns what the command printed. Throws it if the command failed. */
export function outputOf({ output, succeeded }: Ran): string {
  if (!succeeded) throw new Error(output);
  return output;
}
