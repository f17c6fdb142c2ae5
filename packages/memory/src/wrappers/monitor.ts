import type { MemoryProvider } from "../contract/provider.ts";
import { type VersionedMemoryProvider, versionedMethods } from "../contract/versioned-provider.ts";
import { extendObject } from "../runtime/objects.ts";

const KEPT = 100;

/** Statistics of the durations of an operation's last 100 calls, in milliseconds. */
export interface LatencyStats {
  readonly avg: number;
  readonly max: number;
  readonly min: number;
  /** The number of measured calls, at most 100. */
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/**
 * Returns a percentile of the measurements (e.g. the 95th for the share 0.95). `sorted` must be in ascending order and
 * not empty.
 */
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;

/**
 * Measures how long operations take. The monitor keeps the last 100 measurements of each operation, by the operation's
 * name. Calls that fail or throw are measured, too.
 *
 * @example
 * ```ts
 * import { createInMemoryProvider, MemoryPerformanceMonitor } from "@jaf/memory";
 *
 * const monitor = new MemoryPerformanceMonitor();
 * const provider = createInMemoryProvider();
 * await monitor.measureOperation("load", () => provider.getConversation("conv-123"));
 * console.log(monitor.getStats("load")?.p95); // In milliseconds.
 * ```
 */
export class MemoryPerformanceMonitor {
  readonly #metrics = new Map<string, number[]>();

  /** Calls `fn` and records its duration under the name `operation`. Returns or throws what `fn` returns or throws. */
  async measureOperation<T>(operation: string, fn: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await fn();
    } finally {
      const measurements = this.#metrics.get(operation) ?? [];
      measurements.push(performance.now() - start);
      if (measurements.length > KEPT) measurements.shift();
      this.#metrics.set(operation, measurements);
    }
  }

  /**
   * Returns statistics of the durations of an operation's last 100 calls, or `null` if the operation was never
   * measured.
   */
  getStats(operation: string): LatencyStats | null {
    const sorted = this.#metrics.get(operation)?.toSorted((a, b) => a - b);
    if (sorted === undefined) return null;
    return {
      avg: sorted.reduce((sum, latency) => sum + latency, 0) / sorted.length,
      max: percentile(sorted, 1),
      min: sorted[0] ?? Number.NaN,
      count: sorted.length,
      p50: percentile(sorted, 0.5),
      p95: percentile(sorted, 0.95),
      p99: percentile(sorted, 0.99),
    };
  }

  /** Returns the names of the measured operations, in the order of their first measurement. */
  getOperations(): readonly string[] {
    return [...this.#metrics.keys()];
  }
}

/**
 * Wraps the provider so that `monitor` measures each call of the provider's methods except `close`. Each method is
 * measured under its own name (e.g. `"getConversation"`).
 *
 * @example
 * ```ts
 * import { createInMemoryProvider, MemoryPerformanceMonitor, monitorProvider } from "@jaf/memory";
 *
 * const monitor = new MemoryPerformanceMonitor();
 * const provider = monitorProvider(createInMemoryProvider(), monitor);
 * await provider.getConversation("conv-123");
 * console.log(monitor.getStats("getConversation")?.p95);
 * ```
 */
export function monitorProvider<P extends MemoryProvider>(provider: P, monitor: MemoryPerformanceMonitor): P {
  const copy = extendObject<MemoryProvider>(provider, {});
  const { readConversation, exportConversation, importConversation, verifyConversation } =
    versionedMethods(provider);
  const measured =
    <Args extends readonly unknown[], T>(name: string, method: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      monitor.measureOperation(name, () => method(...args));
  return extendObject(provider, {
    storeMessages: measured("storeMessages", copy.storeMessages),
    appendMessages: measured("appendMessages", copy.appendMessages),
    getConversation: measured("getConversation", copy.getConversation),
    findConversations: measured("findConversations", copy.findConversations),
    getRecentMessages: measured("getRecentMessages", copy.getRecentMessages),
    deleteConversation: measured("deleteConversation", copy.deleteConversation),
    clearUserConversations: measured("clearUserConversations", copy.clearUserConversations),
    getStats: measured("getStats", copy.getStats),
    healthCheck: measured("healthCheck", copy.healthCheck),
    ...(readConversation && { readConversation: measured("readConversation", readConversation) }),
    ...(exportConversation && { exportConversation: measured("exportConversation", exportConversation) }),
    ...(importConversation && { importConversation: measured("importConversation", importConversation) }),
    ...(verifyConversation && { verifyConversation: measured("verifyConversation", verifyConversation) }),
  } satisfies Partial<VersionedMemoryProvider>);
}
