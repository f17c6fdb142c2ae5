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
