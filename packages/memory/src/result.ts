import type { MemoryErrorUnion } from "./errors.ts";

/** The outcome of an operation that may fail for reasons the caller has to handle. Nothing is thrown. */
export type Result<T, E = MemoryErrorUnion> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly error: E };

type Success<T> = { readonly success: true; readonly data: T };
type Failure<E> = { readonly success: false; readonly error: E };

export const createSuccess = <T>(data: T): Success<T> => ({ success: true, data });

export const createFailure = <E>(error: E): Failure<E> => ({ success: false, error });

export const isSuccess = <T, E>(result: Result<T, E>): result is Success<T> => result.success;

export const isFailure = <T, E>(result: Result<T, E>): result is Failure<E> => !result.success;
