/** The result of looking for a package. */
export interface Lookup {
  /** Absent: it is not installed. */
  readonly module?: unknown;
  /** Why the one in the working folder was not run: a sentence. */
  readonly ignored?: string;
}

/** Imports packages of the application at run time. */
export interface Packages {
  /** Imports a package. Rejects if it can't be loaded. */
  readonly load: (name: string) => Promise<Lookup>;
  /** Whether no module was found for a name, as opposed to a module whose code threw. */
  readonly isUnresolved: (thrown: unknown) => boolean;
}
