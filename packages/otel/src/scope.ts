import type { Tracer } from "@opentelemetry/api";
import type { Instruments } from "./metrics.ts";
import type { Runs } from "./runs.ts";

/** What all parts of one telemetry share. */
export interface Scope {
  readonly tracer: Tracer;
  /** The instruments, created when they are first used, so that an SDK can be registered before. */
  readonly instruments: () => Instruments;
  /** Whether spans get messages, arguments, results and facts. */
  readonly content: boolean;
  readonly runs: Runs;
}
