/** The parts of Node's `process` that may exist. Some bundlers only provide an environment. */
interface Process {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly emitWarning?: (message: string, options: Warning) => void;
}

const processOf = (): Process | undefined => (globalThis as { readonly process?: Process }).process;

/** Returns the environment variables; none if there is no environment. */
export const processEnvironment = (): Readonly<Record<string, string | undefined>> => processOf()?.env ?? {};

export interface Warning {
  /** The warning's name, e.g. `JAFObserverWarning`. */
  readonly type: string;
  readonly code?: string;
  /** More details. */
  readonly detail?: string;
}

/** Emits a process warning, which applications can listen for. Without a process, logs it to the console. */
export function warn(message: string, warning: Warning): void {
  const process = processOf();
  if (typeof process?.emitWarning === "function") process.emitWarning(message, warning);
  else console.warn(...[`${warning.type}: ${message}`, warning.detail].filter((text) => text !== undefined));
}

/** Lets the process end while the timer is set. Web timers are numbers and need nothing. */
export function unref<Timer>(timer: Timer): Timer {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
    timer.unref();
  return timer;
}

/** The timer that `setTimeout` returns, in any runtime. */
export type Timeout = ReturnType<typeof setTimeout>;

/** Restarts a timer, even if it has fired. For Node's timers this costs a tenth of a new one. */
export function restart(timer: Timeout, action: () => void, milliseconds: number): Timeout {
  if (typeof timer.refresh === "function") return timer.refresh();
  clearTimeout(timer);
  return setTimeout(action, milliseconds);
}

/** Returns the `code` of an error, or `undefined`. */
export const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && "code" in thrown ? thrown.code : undefined;

const UNRESOLVED = new Set<unknown>([
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
  "ERR_PACKAGE_PATH_NOT_EXPORTED",
  "ERR_PACKAGE_IMPORT_NOT_DEFINED",
  "ERR_UNSUPPORTED_DIR_IMPORT",
]);

/** Whether Node found no module for a name. False if a module's code threw. */
export const isUnresolved = (thrown: unknown): boolean => UNRESOLVED.has(codeOf(thrown));

/** Whether an import failed because this package is missing, not one of its own imports. */
export function isMissingPackage(name: string, thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = codeOf(thrown);
  if (code !== undefined && code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return false;
  return thrown.message.includes(`'${name}'`) || thrown.message.includes(`"${name}"`);
}
