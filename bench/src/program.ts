import { stopLabs } from "./lab.ts";

/** The command line is invalid. The message says why. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Returns a known name. Throws a `UsageError` that lists them for another one. */
export function oneOf<T extends string>(what: string, text: string, known: readonly T[]): T {
  const found = known.find((name) => name === text);
  if (found === undefined) throw new UsageError(`Unknown ${what} "${text}": expected ${known.join(", ")}`);
  return found;
}

/** pnpm and npm pass on the `--` before a script's arguments. */
export const commandLine = (): string[] => process.argv.slice(2).filter((arg) => arg !== "--");

// `parseArgs` throws it for an unknown option.
const isUsage = (thrown: unknown): thrown is Error =>
  thrown instanceof UsageError ||
  (thrown instanceof TypeError && "code" in thrown && String(thrown.code).startsWith("ERR_PARSE_ARGS"));

/** Runs a program of the benchmark. A signal stops its servers, and a usage error is printed with the usage. */
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
