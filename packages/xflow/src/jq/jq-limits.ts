/** What one evaluation of jq may take. */
export interface JqLimits {
  /** Milliseconds of one evaluation, from 1. Default 1,000. */
  readonly timeMs: number;
  /** Bytes of jq's memory, from 33,554,432 (32 MiB). Default 67,108,864 (64 MiB). */
  readonly memoryBytes: number;
  /** Characters of an evaluation's results, as JSON, from 1. Default 1,000,000. */
  readonly outputLength: number;
}

export const DEFAULT_JQ_LIMITS: JqLimits = {
  timeMs: 1_000,
  memoryBytes: 64 * 1024 * 1024,
  outputLength: 1_000_000,
};
