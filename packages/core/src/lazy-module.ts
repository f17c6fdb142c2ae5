import { isThenable } from "./thenable.ts";

/** A module of the engine couldn't be loaded. */
export class PartLoadError extends Error {
  constructor(purpose: string, options: ErrorOptions) {
    super(
      `the part of the engine for ${purpose} could not be loaded; deploy all files of one version of @jaf/core together, and try again`,
      options,
    );
    this.name = "PartLoadError";
  }
}

/**
 * A module of the engine that most runs don't need, loaded by the first that does. Later calls return it synchronously; calls
 * while it is being loaded share the loading; after a failure, a `PartLoadError`, the next call tries again.
 *
 * `name`: what the module is for, in words that go on after "the part of the engine for".
 */
export function openModule<T extends object>(name: string, load: () => Promise<T>): () => T | Promise<T> {
  let module: T | Promise<T> | undefined;
  const loading = async (): Promise<T> => {
    try {
      const loaded = await load();
      module = loaded;
      return loaded;
    } catch (cause) {
      module = undefined;
      throw new PartLoadError(name, { cause });
    }
  };
  return () => {
    module ??= loading();
    return module;
  };
}

/** Uses a module: synchronously if it is loaded. */
export const withModule = <T extends object, R>(
  module: T | Promise<T>,
  use: (module: T) => R | Promise<R>,
): R | Promise<R> => (isThenable(module) ? module.then(use) : use(module));
