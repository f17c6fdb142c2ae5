import * as z from "zod";
import type { MemoryErrorUnion } from "../errors.ts";
import type { VersionedMemoryProvider } from "../versioned-provider.ts";

/** A method of the contract. */
export type Operation = keyof VersionedMemoryProvider;

/** An attempt failed and another one follows. */
export interface RetryEvent {
  readonly operation: Operation;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** How long until the next one, in milliseconds. */
  readonly delayMs: number;
  readonly error: MemoryErrorUnion;
}

/** A read went to the fallback. */
export interface FallbackEvent {
  readonly operation: Operation;
  /** The conversation that was read; absent for calls about several. */
  readonly conversationId?: string;
  /** Why: the last connection error of the primary. */
  readonly error: MemoryErrorUnion;
}

const callback = <F>() =>
  z.custom<F>((value) => typeof value === "function", { error: "expected a function" });

const milliseconds = z.number().min(0).max(2_147_483_647);

export const retrySchema = z.strictObject({
  /** Calls at most, the first one included. Default 5. */
  maxAttempts: z.int().min(1).default(5),
  /** The first wait is at most this long, each further one at most twice the one before. Default 100. */
  baseDelayMs: milliseconds.default(100),
  /** No wait is longer. Default 5,000. */
  maxDelayMs: milliseconds.default(5_000),
  /** No attempt begins later than this after the first. Default 30,000. */
  maxElapsedMs: milliseconds.default(30_000),
  /** Aborting it ends waiting: calls return the last error. */
  signal: z.instanceof(AbortSignal, { error: "expected an AbortSignal" }).optional(),
  /** Called before each wait. */
  onRetry: callback<(event: RetryEvent) => void>().optional(),
  /** A number from 0 to 1 that spreads the waits. Default `Math.random`. */
  random: callback<() => number>().default(() => Math.random),
});

export type RetryOptions = z.input<typeof retrySchema>;
export type RetrySettings = z.output<typeof retrySchema>;

export const fallbackSchema = z.strictObject({
  /**
   * How long after a connection error reads go straight to the fallback, before one goes to the primary again. Default
   * 5,000.
   */
  cooldownMs: milliseconds.default(5_000),
  /** Called for each read that goes to the fallback. */
  onFallback: callback<(event: FallbackEvent) => void>().optional(),
});

export type FallbackOptions = z.input<typeof fallbackSchema>;
export type FallbackSettings = z.output<typeof fallbackSchema>;
