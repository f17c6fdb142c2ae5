import type { MemoryConfig } from "@jaf/core";

/**
 * The demo's folder has one process at a time. So a turn that is under way when it starts is that of a process which is
 * gone: it is waited for, and not for long.
 */
export const afterCrash = { concurrency: "queue", turnLeaseMs: 1_000 } satisfies Partial<MemoryConfig>;
