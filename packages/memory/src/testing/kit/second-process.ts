import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { VersionedMemoryProvider } from "../../contract/versioned-provider.ts";
import { present } from "../../runtime/objects.ts";
import type { MemoryProviderHarness } from "./harness.ts";
import type { ProcessAnswer, ProcessRequest, ProviderProcess } from "./provider-process.ts";
import { methods } from "./result-shape.ts";

interface PendingRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Another process, which serves providers. */
interface SecondProcess {
  readonly open: (argument: unknown) => Promise<VersionedMemoryProvider>;
  readonly end: () => void;
}

/** Loads a TypeScript module with vitest, as the tests are loaded. The arguments: vitest's own module, and the module. */
const LOAD_WITH_VITEST = `
  const [vitest, module] = process.argv.slice(1);
  const { createVitest } = await import(vitest);
  await (await createVitest("test", { watch: false })).import(module);
`;

/** Returns the arguments of `node` for a process that runs a module. */
function programOf(module: URL): readonly string[] {
  const file = fileURLToPath(module);
  if (!/\.[cm]?tsx?$/.test(file)) return [file];
  // Node.js 20 can't load TypeScript. The vitest that the module's package has installed can, and it knows the aliases
  // and plugins of the tests.
  const vitest = pathToFileURL(createRequire(module).resolve("vitest/node")).href;
  return ["--input-type=module", "--eval", LOAD_WITH_VITEST, vitest, file];
}

type Unnumbered<T> = T extends unknown ? Omit<T, "id"> : never;

function start({ module, execArgv = [], cwd }: ProviderProcess): SecondProcess {
  const child = spawn(process.execPath, [...execArgv, ...programOf(module)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    // This serialization keeps Dates and Results as they are.
    serialization: "advanced",
    ...present({ cwd }),
  });
  const waiting = new Map<number, PendingRequest>();
  let lastId = 0;
  let ended: Error | undefined;

  function fail(error: Error): void {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  }

  child.on("message", (answer: ProcessAnswer) => {
    const { resolve, reject } = waiting.get(answer.id) ?? {};
    waiting.delete(answer.id);
    if ("thrown" in answer) reject?.(new Error(`in the second process: ${answer.thrown}`));
    else resolve?.(answer.result);
  });
  child.on("error", fail);
  child.on("exit", (code, signal) =>
    fail(new Error(`the second process ended: ${signal ?? `exit code ${code}`}`)),
  );
  // The child process doesn't keep the process of the tests alive.
  child.unref();
  child.channel?.unref();

  const ask = (request: Unnumbered<ProcessRequest>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(ended);
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      child.send({ id: lastId, ...request } satisfies ProcessRequest, (error) => {
        if (error !== null) fail(error);
      });
    });

  async function open(argument: unknown): Promise<VersionedMemoryProvider> {
    const provider = (await ask({ argument })) as number;
    const remote = methods.map((method) => [
      method,
      (...given: readonly unknown[]) => ask({ provider, method, given }),
    ]);
    return Object.fromEntries(remote) as VersionedMemoryProvider;
  }
  return { open, end: () => void child.kill() };
}

const processes = new WeakMap<MemoryProviderHarness, Map<string, SecondProcess>>();

/** Returns the other process of a harness. It is started for the first store that needs it. */
export function secondProcessOf(harness: MemoryProviderHarness, description: ProviderProcess): SecondProcess {
  const known = processes.get(harness) ?? new Map<string, SecondProcess>();
  processes.set(harness, known);
  const name = description.module.href;
  const running = known.get(name) ?? start(description);
  known.set(name, running);
  return running;
}

/** Ends the other processes of a harness. */
export function endProcesses(harness: MemoryProviderHarness): void {
  for (const { end } of processes.get(harness)?.values() ?? []) end();
  processes.delete(harness);
}
