import { stopLabs } from "./lab.ts";

/** What was asked for on the command line can't be measured, and why. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** One of the names that are known. Throws a `UsageError` that says which are. */
export function oneOf<T extends string>(what: string, text: string, known: readonly T[]): T {
  const found = known.find((name) => name === text);
  if (found === undefined) throw new UsageError(`Unknown ${what} "${text}": expected ${known.join(", ")}`);
  return found;
}

/** pnpm and npm hand on the `--` before a script's arguments. */
export const commandLine = (): string[] => process.argv.slice(2).filter((arg) => arg !== "--");

// Thrown by `parseArgs` for an option that it doesn't know.
const isUsage = (thrown: unknown): thrown is Error =>
  thrown instanceof UsageError ||
  (thrown instanceof TypeError && "code" in thrown && String(thrown.code).startsWith("ERR_PARSE_ARGS"));

/** Runs a program of the benchmark: a signal stops its servers, and an error of usage is told with how it is used. */
export async function runProgram(usage: string, run: () => Promise<void>): Promise<void> {
  for (const [signal, code] of [["SIGINT", 130] as const, ["SIGTERM", 143] as const]) {
    process.once(signal, () => void stopLabs().finally(() => process.exit(code)));
  }
  try {
    await run();
  } catch (thrown) {
    if (!isUsage(thrown)) throw thrown;
    process.stderr.write(`${thrown.message}\n\n${usage}`);
    process.exitCode = 2;
  }
}
