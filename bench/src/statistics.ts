/** The value that a share `q` (0 to 1) of the samples doesn't exceed. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export interface Contender {
  readonly name: string;
  readonly once: () => Promise<void>;
}

export interface Measured {
  readonly name: string;
  readonly p50: number;
  readonly p99: number;
}

const now = (): number => Number(process.hrtime.bigint()) / 1_000;

/** Microseconds a call. Warm, and interleaved call by call, so that what the machine does besides hits all alike. */
export async function measure(
  contenders: readonly Contender[],
  { warmUp, rounds }: { readonly warmUp: number; readonly rounds: number },
): Promise<readonly Measured[]> {
  const samples = contenders.map((): number[] => []);
  for (let round = -warmUp; round < rounds; round++) {
    for (const [index, { once }] of contenders.entries()) {
      const start = now();
      await once();
      if (round >= 0) samples[index]?.push(now() - start);
    }
  }
  return contenders.map(({ name }, index) => {
    const own = samples[index] ?? [];
    return { name, p50: quantile(own, 0.5), p99: quantile(own, 0.99) };
  });
}
