import type { ExtractionOptions } from "@jaf/user-memory";

/** The demo's folder has one process at a time: so what a process that is gone has left is taken over after a second. */
export const learning = { leaseMs: 1_000, retryDelayMs: 1_000 } satisfies ExtractionOptions;
