import type { MemoryErrorUnion } from "@jaf/memory";
import { toMemoryError } from "./errors.ts";

/**
 * Why a provider could not be set up: the database is out of reach, the tables can't be created. `error` is the
 * tagged error, as the provider's methods return it.
 */
export class PostgresSetupError extends Error {
  override readonly name = "PostgresSetupError";

  constructor(readonly error: MemoryErrorUnion) {
    super(error.message);
  }

  static from(operation: string, thrown: unknown): PostgresSetupError {
    return thrown instanceof PostgresSetupError
      ? thrown
      : new PostgresSetupError(toMemoryError(operation, thrown));
  }
}
