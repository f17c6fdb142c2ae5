/** An error that the user can act on. It is printed without a stack trace. */
export class Failure extends Error {
  override readonly name = "Failure";
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
  }
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export interface ExitRequest {
  /** Aborted when the user wants to leave. */
  readonly signal: AbortSignal;
  /** Does the same as Ctrl-C. */
  readonly leave: () => void;
  /** The exit code for the shell: 0, or 128 plus the signal's number. */
  readonly exitCode: () => number;
}

/** Turns Ctrl-C and SIGTERM into an abort, so running work can end cleanly. A second signal exits immediately. */
export function listenForExit(): ExitRequest {
  const controller = new AbortController();
  let exitCode = 0;
  const leave = (name: keyof typeof EXIT_CODES) => {
    if (controller.signal.aborted) process.exit(EXIT_CODES[name]);
    exitCode = EXIT_CODES[name];
    controller.abort(new Error(`The program was asked to stop (${name}).`));
  };
  process.on("SIGINT", leave);
  process.on("SIGTERM", leave);
  // The reader of the output has exited, e.g. `| head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    controller.abort(new Error("The output was closed."));
  });
  return { signal: controller.signal, leave: () => leave("SIGINT"), exitCode: () => exitCode };
}
