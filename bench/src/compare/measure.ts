import { median, now, quantile } from "../statistics.ts";

export interface Contender {
  readonly name: string;
  readonly once: () => Promise<void>;
}

export interface Plan {
  readonly rounds: number;
  /** Calls of each contender in a round. */
  readonly calls: number;
}

/** The medians of a contender's calls, round by round, in microseconds. */
export type Medians = readonly number[];

/**
 * Two contenders, call by call in turn; who begins changes from call to call. The medians of each round, so that the table
 * can be made of rounds instead of one long stretch.
 */
export async function measurePair(
  pair: readonly [Contender, Contender],
  { rounds, calls }: Plan,
): Promise<readonly [Medians, Medians]> {
  const medians: [number[], number[]] = [[], []];
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    const samples: [number[], number[]] = [[], []];
    for (let call = 0; call < calls; call++) {
      for (const which of call % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const start = now();
        await pair[which].once();
        samples[which].push(now() - start);
      }
    }
    if (round === 0) continue;
    medians[0].push(quantile(samples[0], 0.5));
    medians[1].push(quantile(samples[1], 0.5));
  }
  return medians;
}

export interface Ratio {
  readonly first: number;
  readonly second: number;
  /** The median of the rounds' ratios, second to first, and the extremes. */
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
}

export function toRatio([first, second]: readonly [Medians, Medians]): Ratio {
  const ratios = second.map((value, round) => value / (first[round] ?? Number.NaN));
  return {
    first: median(first),
    second: median(second),
    ratio: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
  };
}
