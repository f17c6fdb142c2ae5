import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bundleProcess } from "../../../../test/process-bundle.ts";

const main = new URL("../../src/main.ts", import.meta.url);
/** As one file, which starts at once. */
export const bundled: readonly string[] = [await bundleProcess(main)];

/** As `pnpm demo` starts it, which takes seconds to compile it. */
export const fromSources: readonly string[] = [
  ...["--import", "tsx", "--conditions=@jaf/source"],
  fileURLToPath(main),
];

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves when the output so far matches. */
  readonly printed: (pattern: RegExp) => Promise<void>;
}

export type Environment = Readonly<Record<string, string>>;

interface DemoOptions {
  readonly input?: string;
  readonly environment?: Environment;
  /** What Node.js is told to run. Default: the demo as one file. */
  readonly program?: readonly string[];
}

/** Nothing that the machine says of models and stores, so that the demo is offline unless a test says otherwise. */
const bareEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(OPENAI_|ANTHROPIC_|GOOGLE_|JAF_)/.test(name)),
  );

/** The demo in a process of its own. `input` is all it gets; absent: left open. */
export function startDemo(
  args: readonly string[],
  { input, environment = {}, program = bundled }: DemoOptions = {},
): Running {
  const child = spawn(process.execPath, [...program, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...bareEnvironment(), ...environment },
  });
  let out = "";
  let err = "";
  const watchers = new Set<() => void>();
  const collect = (text: string, add: (text: string) => void) => {
    add(text);
    for (const watcher of watchers) watcher();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => collect(text, (more) => (out += more)));
  child.stderr.setEncoding("utf8").on("data", (text: string) => collect(text, (more) => (err += more)));
  child.stdin.on("error", () => {}); // The demo may end before it has read everything.
  if (input !== undefined) child.stdin.end(input);
  const finished = new Promise<Finished>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, out, err }));
  });
  const printed = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!pattern.test(out + err)) return;
        watchers.delete(check);
        resolve();
      };
      watchers.add(check);
      finished.then((end) =>
        reject(new Error(`The demo ended without printing ${pattern}: ${JSON.stringify(end)}`)),
      );
      check();
    });
  return { child, finished, printed };
}

export const runDemo = (args: readonly string[], options: DemoOptions = {}): Promise<Finished> =>
  startDemo(args, { input: "", ...options }).finished;
