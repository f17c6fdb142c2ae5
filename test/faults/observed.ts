import type { MemoryErrorUnion, MemoryProvider } from "../../packages/memory/src/index.ts";

export interface Observed {
  /** To be put under a retry, so that every single attempt is seen. */
  readonly provider: MemoryProvider;
  readonly attempts: () => number;
  readonly failed: () => number;
  /** Failures that are said to be in vain to retry, each kind once: of a fault that passes there is none. */
  readonly unretryable: () => readonly string[];
}

const describe = ({ _tag, message, cause }: MemoryErrorUnion): string =>
  `${_tag}: ${message} (${cause?.name} ${cause?.code ?? ""})`;

/** Counts the appends, and those that failed. */
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
