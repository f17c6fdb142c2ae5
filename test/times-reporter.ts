import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";

const SLOWEST_SHOWN = 10;

/** The seconds of each test file by its path from the root. */
export type FileTimes = Readonly<Record<string, number>>;

export const readTimes = (file: string): FileTimes => JSON.parse(readFileSync(file, "utf8"));

const seconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10;

function timeOf(module: TestModule): number {
  const { setupDuration, collectDuration, duration } = module.diagnostic();
  return setupDuration + collectDuration + duration;
}

/**
 * Prints the slowest files of a run. With `RECORD_TIMES=1`, it also writes each file's time to `file`, and keeps the times of
 * other files that still exist.
 */
export class TimesReporter implements Reporter {
  readonly #file: string;
  #root = "";

  constructor(file: string) {
    this.#file = file;
  }

  onInit({ config }: Vitest): void {
    this.#root = config.root;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const times = modules
      .map((module) => [relative(this.#root, module.moduleId), seconds(timeOf(module))] as const)
      .sort(([, a], [, b]) => b - a);
    const sum = times.reduce((total, [, time]) => total + time, 0);
    const shown = times
      .slice(0, SLOWEST_SHOWN)
      .map(([file, time]) => `${time.toFixed(1).padStart(7)} s  ${file}`);
    console.log(`\n${times.length} files, ${sum.toFixed(0)} s added up. The slowest:\n${shown.join("\n")}`);
    // biome-ignore lint/suspicious/noUndeclaredEnvVars: turbo does not run the tests
    if (process.env["RECORD_TIMES"] === "1") this.#record(times);
  }

  #record(times: readonly (readonly [string, number])[]): void {
    mkdirSync(dirname(this.#file), { recursive: true });
    const merged = { ...readTimes(this.#file), ...Object.fromEntries(times) };
    const sorted = Object.entries(merged)
      .filter(([file]) => existsSync(file))
      .sort(([a], [b]) => a.localeCompare(b));
    writeFileSync(this.#file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }
}
