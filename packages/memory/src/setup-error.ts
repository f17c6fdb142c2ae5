import type { MemoryErrorUnion } from "./errors.ts";

/**
 * Why a provider could not be set up: the server is out of reach, its schema can't be created, a package is not
 * installed, an environment variable has a bad value. Factories reject with it; `error` is a tagged error, like those
 * that the provider's methods return.
 */
export class MemorySetupError extends Error {
  override readonly name = "MemorySetupError";

  constructor(readonly error: MemoryErrorUnion) {
    super(error.message);
  }
}
