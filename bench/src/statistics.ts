/** Returns the value that a share `q` (0 to 1) of the samples doesn't exceed. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export interface Contender {
  readonly name: string;
  readonly once: () => Promise<void>;
}

/** In microseconds. */
export interface Measured {
  readonly p50: number;
  readonly p99: number;
}

export interface Rounds {
  readonly warmUp: number;
  readonly rounds: number;
}

export const now = (): number => Number(process.hrtime.bigint()) / 1_000;

// Each contender follows each other one equally often, so effects on caches are the same for all.
function shuffle<T>(items: readonly T[]): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return shuffled;
}

/**
 * Measures calls one by one: after a warm-up, and interleaved call by call in a new random order each round, so other work
 * of the machine affects all contenders alike. Returns the times by the contenders' names.
 */
export async function measure(
  contenders: readonly Contender[],
  { warmUp, rounds }: Rounds,
): Promise<(name: string) => Measured> {
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  if (samples.size < contenders.length) throw new TypeError("two contenders of one name");
  for (let round = -warmUp; round < rounds; round++) {
    for (const { name, once } of shuffle(contenders)) {
      const start = now();
      await once();
      if (round >= 0) samples.get(name)?.push(now() - start);
    }
  }
  return (name) => {
    const own = samples.get(name);
    if (own === undefined) throw new TypeError(`"${name}" was not measured`);
    return { p50: quantile(own, 0.5), p99: quantile(own, 0.99) };
  };
}
