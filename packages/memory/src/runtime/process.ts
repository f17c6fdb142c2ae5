/** What there may be of Node's `process`; some bundlers put in one with an environment alone. */
interface Process {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly emitWarning?: (message: string, options: Warning) => void;
}

const processOf = (): Process | undefined => (globalThis as { readonly process?: Process }).process;

/** The environment's variables; none where there is no environment. */
export const processEnvironment = (): Readonly<Record<string, string | undefined>> => processOf()?.env ?? {};

export interface Warning {
  /** Its name, e.g. `JAFObserverWarning`. */
  readonly type: string;
  readonly code?: string;
  /** What stands behind the message. */
  readonly detail?: string;
}

/** A warning of the process, which an application can listen for; on the console where there is none. */
export function warn(message: string, warning: Warning): void {
  const process = processOf();
  if (typeof process?.emitWarning === "function") process.emitWarning(message, warning);
  else console.warn(...[`${warning.type}: ${message}`, warning.detail].filter((text) => text !== undefined));
}

/** Lets a process end although the timer is set, where timers keep one alive: those of the web are numbers. */
export function unref<Timer>(timer: Timer): Timer {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function")
    timer.unref();
  return timer;
}

export type Timeout = ReturnType<typeof setTimeout>;

/** Has a timer that goes on, or has gone off, starts again: Node's own do so at a tenth of the cost of another. */
export function restart(timer: Timeout, action: () => void, milliseconds: number): Timeout {
  if (typeof timer.refresh === "function") return timer.refresh();
  clearTimeout(timer);
  return setTimeout(action, milliseconds);
}

/** `undefined` for what has none. */
export const codeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && "code" in thrown ? thrown.code : undefined;

const UNRESOLVED = new Set<unknown>([
  "ERR_MODULE_NOT_FOUND",
  "MODULE_NOT_FOUND",
  "ERR_PACKAGE_PATH_NOT_EXPORTED",
  "ERR_PACKAGE_IMPORT_NOT_DEFINED",
  "ERR_UNSUPPORTED_DIR_IMPORT",
]);

/** Whether Node found no module for a name, as opposed to a module whose code threw. */
export const isUnresolved = (thrown: unknown): boolean => UNRESOLVED.has(codeOf(thrown));

/** Whether an import failed for want of this very package, and not of one that it imports itself. */
export function isMissingPackage(name: string, thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = codeOf(thrown);
  if (code !== undefined && code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return false;
  return thrown.message.includes(`'${name}'`) || thrown.message.includes(`"${name}"`);
}
