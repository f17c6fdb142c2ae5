import { isThenable } from "./thenable.ts";

/** A part of the engine couldn't be loaded. */
export class PartLoadError extends Error {
  constructor(part: string, options: ErrorOptions) {
    super(`the part of the engine for ${part} could not be loaded`, options);
    this.name = "PartLoadError";
  }
}

/**
 * A part of the engine that most runs don't need, loaded by the first that does. Later calls return it synchronously; calls
 * while it is being loaded share the loading; after a failure, a `PartLoadError`, the next call tries again.
 *
 * `name`: what the part is for, in words that go on after "the part of the engine for".
 */
export function openPart<T extends object>(name: string, load: () => Promise<T>): () => T | Promise<T> {
  let part: T | Promise<T> | undefined;
  const loading = async (): Promise<T> => {
    try {
      const loaded = await load();
      part = loaded;
      return loaded;
    } catch (cause) {
      part = undefined;
      throw new PartLoadError(name, { cause });
    }
  };
  return () => {
    part ??= loading();
    return part;
  };
}

/** Uses a part: synchronously if it is loaded. */
export const withPart = <T extends object, R>(
  part: T | Promise<T>,
  use: (part: T) => R | Promise<R>,
): R | Promise<R> => (isThenable(part) ? part.then(use) : use(part));
