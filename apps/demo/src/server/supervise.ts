import { type ChildProcess, spawn } from "node:child_process";

/** What a serving process tells the one that started it. */
export interface Listening {
  readonly listening: string;
}

export interface SuperviseOptions {
  /** What Node.js is told to run; it listens where it did before. */
  readonly program: (address: { readonly port: number | undefined }) => readonly string[];
  readonly signal: AbortSignal;
  /** Called once the first process listens. */
  readonly onFirst: (url: string) => void;
  /** Called when a process was killed and another begins. */
  readonly onRestart: () => void;
}

const MOST_FAILURES = 3;

/**
 * Runs the server in a process of its own, and starts another one where it was killed. Resolves with the exit code once it has ended
 * by itself, or because of the signal.
 */
export async function supervise({ program, signal, onFirst, onRestart }: SuperviseOptions): Promise<number> {
  let port: number | undefined;
  let failures = 0;
  for (;;) {
    const { code, url } = await runOnce(program({ port }), signal, (at) => {
      if (port === undefined) onFirst(at);
      port = Number(new URL(at).port);
    });
    // An exit code is its own decision: it said why.
    if (signal.aborted || (code !== null && (code !== 0 || url === undefined))) return code ?? 0;
    if (code === 0) return 0;
    failures = url === undefined ? failures + 1 : 0;
    if (failures >= MOST_FAILURES) return 1;
    onRestart();
  }
}

interface Ended {
  /** `null`: it was killed. */
  readonly code: number | null;
  /** Absent: it never listened. */
  readonly url: string | undefined;
}

function runOnce(
  program: readonly string[],
  signal: AbortSignal,
  onUrl: (url: string) => void,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let url: string | undefined;
    const child: ChildProcess = spawn(process.execPath, [...program], {
      // In a group of its own, so that Ctrl-C reaches it once, from here.
      detached: process.platform !== "win32",
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const leave = () => child.kill("SIGTERM");
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    child.on("message", (message) => {
      const told = (message as Partial<Listening> | null)?.listening;
      if (typeof told !== "string") return;
      url = told;
      onUrl(told);
    });
    child.on("error", reject);
    child.on("exit", (code) => {
      signal.removeEventListener("abort", leave);
      resolve({ code, url });
    });
  });
}
