import { expect } from "vitest";
import { createInMemoryProvider } from "../../in-memory/provider.ts";
import type { VersionedMemoryProvider } from "../../versioned-provider.ts";
import { outcome } from "../outcome.ts";
import { randomNumbers } from "../random.ts";
import { randomOperation } from "../random-operation.ts";
import { defineSpec, type Spec } from "../spec.ts";

const OPERATIONS_PER_ROUND = 12;

async function expectAlike(
  provider: VersionedMemoryProvider,
  seed: number,
  operations: number,
): Promise<void> {
  const reference = createInMemoryProvider();
  const random = randomNumbers(seed);
  for (let step = 0; step < operations; step++) {
    const { name, run } = randomOperation(random);
    const expected = outcome(await run(reference));
    expect(outcome(await run(provider)), `seed ${seed}, operation ${step}: ${name}`).toEqual(expected);
  }
}

interface RandomRun {
  readonly seeds: readonly number[];
  readonly rounds: number;
}

export const reference = ({ seeds, rounds }: RandomRun): Spec =>
  defineSpec(
    {
      level: "contract",
      subject: "random operations",
      why: "Rules that hold one by one are broken in combination.",
      hint: "The operation that is named; the in-memory provider is the reference.",
    },
    Object.fromEntries(
      seeds.map((seed) => [
        `have the outcomes that the in-memory reference has (seed ${seed})`,
        ({ provider }) => expectAlike(provider, seed, rounds * OPERATIONS_PER_ROUND),
      ]),
    ),
  );
