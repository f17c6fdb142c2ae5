import { type ChildProcess, spawn } from "node:child_process";

/** The message of a serving process to its parent. */
export interface Listening {
  readonly listening: string;
}

export interface SuperviseOptions {
  /** The arguments for Node.js. `port` is the port of the previous process. */
  readonly program: (address: { readonly port: number | undefined }) => readonly string[];
  readonly signal: AbortSignal;
  /** Called when the first process listens. */
  readonly onFirst: (url: string) => void;
  /** Called when a killed process is restarted. */
  readonly onRestart: () => void;
}

const MOST_FAILURES = 3;

/**
 * Runs the server in a child process and restarts it if it is killed. Resolves with the exit code when the child exits itself
 * or because of the signal.
 */
export async function supervise({ program, signal, onFirst, onRestart }: SuperviseOptions): Promise<number> {
  let port: number | undefined;
  let failures = 0;
  for (;;) {
    const { code, url } = await runOnce(program({ port }), signal, (at) => {
      if (port === undefined) onFirst(at);
      port = Number(new URL(at).port);
    });
    // With an exit code, the process exited itself, and has printed why.
    if (signal.aborted || (code !== null && (code !== 0 || url === undefined))) return code ?? 0;
    if (code === 0) return 0;
    failures = url === undefined ? failures + 1 : 0;
    if (failures >= MOST_FAILURES) return 1;
    onRestart();
  }
}

interface Ended {
  /** `null` if it was killed. */
  readonly code: number | null;
  /** Absent if it never listened. */
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
      // In its own process group, so Ctrl-C reaches it only once, through this process.
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
