import { kindOf } from "../report.ts";

/**
 * Why facts weren't extracted from a turn:
 *
 * - `"model"`: the model, or the application's own function, failed or took too long.
 * - `"reply"`: what it replied isn't what was asked for.
 * - `"given-up"`: it failed as often as `maxAttempts` allows; the turn won't be tried again.
 */
export type ExtractionErrorCode = "model" | "reply" | "given-up";

export interface ExtractionErrorFields {
  readonly code: ExtractionErrorCode;
  /** Holds nothing of what was said. */
  readonly message: string;
  readonly attempt: number;
  readonly cause?: unknown;
}

/** What `onError` gets for a turn whose facts weren't extracted. */
export class ExtractionError extends Error {
  override readonly name = "ExtractionError";
  readonly code: ExtractionErrorCode;
  /** Which attempt it was, from 1. */
  readonly attempt: number;
  /** Whether the turn will be tried again. */
  readonly retryable: boolean;

  constructor({ code, message, attempt, cause }: ExtractionErrorFields) {
    super(message, cause === undefined ? undefined : { cause: kindOf(cause) });
    this.code = code;
    this.attempt = attempt;
    this.retryable = code !== "given-up";
  }
}
