/** The parts of Node's `process` that may exist. Some bundlers only provide its environment variables. */
interface Process {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly emitWarning?: (message: string, options: Warning) => void;
}

const processOf = (): Process | undefined => (globalThis as { readonly process?: Process }).process;

/** Returns the environment variables, or an empty object where there are none (e.g. in a browser). */
export const processEnvironment = (): Readonly<Record<string, string | undefined>> => processOf()?.env ?? {};

export interface Warning {
  /** The name of the warning (e.g. `JAFObserverWarning`). */
  readonly type: string;
  readonly code?: string;
  /** More details for the reader of the warning. */
  readonly detail?: string;
}

/** Emits a process warning. Where no `process` exists, logs the warning to the console. */
export function warn(message: string, warning: Warning): void {
  const process = processOf();
  if (typeof process?.emitWarning === "function") process.emitWarning(message, warning);
  else console.warn(...[`${warning.type}: ${message}`, warning.detail].filter((text) => text !== undefined));
}

/**
 * Changes a timer of Node so that it doesn't keep the process alive. Returns the timer, which may be a timer of the
 * web.
 */
export function unref<Timer>(timer: Timer): Timer {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
    timer.unref();
  return timer;
}

/** The type of the timer that `setTimeout` returns in the current runtime. */
export type Timeout = ReturnType<typeof setTimeout>;

/** Restarts a timer, even if it has already fired. Returns the timer, which may be a new one. */
export function restart(timer: Timeout, action: () => void, milliseconds: number): Timeout {
  // For a timer of Node, restarting takes a tenth of the time of creating a timer. A timer of the web is replaced.
  if (typeof timer.refresh === "function") return timer.refresh();
  clearTimeout(timer);
  return setTimeout(action, milliseconds);
}

/** Returns the `code` of an error, or `undefined` if the value is no error or has no code. */
export const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && "code" in thrown ? thrown.code : undefined;

const UNRESOLVED = new Set<unknown>([
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
  "ERR_PACKAGE_PATH_NOT_EXPORTED",
  "ERR_PACKAGE_IMPORT_NOT_DEFINED",
  "ERR_UNSUPPORTED_DIR_IMPORT",
]);

/** Whether Node found no module for a name. Returns `false` if the module was found but its code threw. */
export const isUnresolved = (thrown: unknown): boolean => UNRESOLVED.has(codeOf(thrown));

/**
 * Whether an import failed because the package with this name is missing. `false` if one of the package's own imports
 * failed.
 */
export function isMissingPackage(name: string, thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = codeOf(thrown);
  if (code !== undefined && code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return false;
  return thrown.message.includes(`'${name}'`) || thrown.message.includes(`"${name}"`);
}
