import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bundleProcess } from "../../../../test/process-bundle.ts";

const main = new URL("../../src/main.ts", import.meta.url);
/** The demo as one file, which starts immediately. */
export const bundled: readonly string[] = [await bundleProcess(main)];

/** The demo as `pnpm demo` starts it, which takes seconds to compile. */
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
  /** The arguments for Node.js. Default: the demo as one file. */
  readonly program?: readonly string[];
}

/** The environment without settings for models and stores, so the demo is offline by default. */
const bareEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(OPENAI_|ANTHROPIC_|GOOGLE_|JAF_)/.test(name)),
  );

/** Starts the demo in a child process with `input`. Without `input`, stdin stays open. */
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
  child.stdin.on("error", () => {}); // The demo may exit before it has read everything.
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
