import type { MemoryErrorUnion, MemoryProvider } from "../../packages/memory/src/index.ts";

export interface Observed {
  /** A provider to use below a retry, so every attempt is seen. */
  readonly provider: MemoryProvider;
  readonly attempts: () => number;
  readonly failed: () => number;
  /** Failures that claim not to be retryable, each kind once. A temporary fault must not cause any. */
  readonly unretryable: () => readonly string[];
}

const describe = ({ _tag, message, cause }: MemoryErrorUnion): string =>
  `${_tag}: ${message} (${cause?.name} ${cause?.code ?? ""})`;

/** Counts all appends and the failed ones. */
export function observe(provider: MemoryProvider): Observed {
  const unretryable = new Set<string>();
  let attempts = 0;
  let failed = 0;

  const appendMessages: MemoryProvider["appendMessages"] = async (...call) => {
    attempts += 1;
    const result = await provider.appendMessages(...call);
    if (!result.success) {
      failed += 1;
      if (!result.error.retryable) unretryable.add(describe(result.error));
    }
    return result;
  };

  return {
    provider: { ...provider, appendMessages },
    attempts: () => attempts,
    failed: () => failed,
    unretryable: () => [...unretryable],
  };
}
