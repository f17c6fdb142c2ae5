import { isThenable } from "./thenable.ts";

/** Why a part of the engine isn't there. */
export class PartLoadError extends Error {
  constructor(part: string, options: ErrorOptions) {
    super(`the part of the engine for ${part} could not be loaded`, options);
    this.name = "PartLoadError";
  }
}

/**
 * A part of the engine that most runs don't need, loaded by the first that does. Once it is there, it is given at once; what is
 * being loaded is loaded once; and after a failure, a `PartLoadError`, the next to need it tries again.
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

/** What is done with a part: at once where it is there. */
export const withPart = <T extends object, R>(
  part: T | Promise<T>,
  use: (part: T) => R | Promise<R>,
): R | Promise<R> => (isThenable(part) ? part.then(use) : use(part));
