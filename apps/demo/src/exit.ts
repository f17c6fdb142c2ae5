/** A failure that the person at the terminal can act on: printed as it is, without a stack. */
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
  /** Aborted when the person wants to leave. */
  readonly signal: AbortSignal;
  /** As Ctrl-C does. */
  readonly leave: () => void;
  /** What the shell expects: 0, or 128 and the signal's number. */
  readonly exitCode: () => number;
}

/** Turns Ctrl-C and SIGTERM into an abort, so that what is under way is finished cleanly. A second one ends at once. */
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
  // Whoever read the output has gone, e.g. `| head`: nobody is left to talk to.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    controller.abort(new Error("The output was closed."));
  });
  return { signal: controller.signal, leave: () => leave("SIGINT"), exitCode: () => exitCode };
}
