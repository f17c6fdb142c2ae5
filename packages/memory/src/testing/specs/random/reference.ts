import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { VersionedMemoryProvider } from "../../../contract/versioned-provider.ts";
import { createInMemoryProvider } from "../../../in-memory/provider.ts";
import { defineSpec, type Scenario, type Spec } from "../../kit/spec.ts";
import { type Names, outcome } from "./linearizability.ts";
import { type Known, type RandomOperation, randomNumbers, randomOperation } from "./random-operation.ts";
import { shrink } from "./shrink.ts";

const OPERATIONS_PER_ROUND = 12;

type Script = readonly (readonly [RandomOperation])[];

/** A list of operations for whose last one the tested store returned `observed`, but the reference store `expected`. */
interface Deviation {
  readonly script: Script;
  readonly expected: unknown;
  readonly observed: unknown;
}

/**
 * Runs operations one after another on a store. Returns the first result that differs from that of the reference store,
 * or `undefined`.
 */
async function findDeviation(
  provider: VersionedMemoryProvider,
  script: Script,
): Promise<Deviation | undefined> {
  const subjects = [createInMemoryProvider(), provider].map((subject) => {
    const known: Known = new Map();
    const names: Names = new Map();
    return async ({ run }: RandomOperation) => outcome(await run(subject, known), names);
  });
  for (const [index, [operation]] of script.entries()) {
    const [expected, observed] = await Promise.all(subjects.map((run) => run(operation)));
    if (!isDeepStrictEqual(observed, expected))
      return { script: script.slice(0, index + 1), expected, observed };
  }
  return undefined;
}

async function expectAlike({ provider, open }: Scenario, seed: number, operations: number): Promise<void> {
  const random = randomNumbers(seed);
  const script = Array.from({ length: operations }, () => [randomOperation(random)] as const);
  const found = await findDeviation(provider, script);
  if (found === undefined) return;
  const rerun = async (shorter: Script) => findDeviation((await open()).provider, shorter);
  const deviation = await shrink<RandomOperation, Deviation>(found, rerun);
  const message = [
    `the last of these operations differs from the reference: seed ${seed}, shrunk from ${found.script.length} operations to ${deviation.script.length}`,
    ...deviation.script.map(([{ name }], index) => `  ${index + 1}. ${name}`),
  ].join("\n");
  expect(deviation.observed, message).toEqual(deviation.expected);
  expect.fail(message);
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
      why: "Rules that hold separately are broken in combination.",
      hint: "The last of the operations, and the state that the earlier ones left; the in-memory provider is the reference.",
      reportsCalls: true,
    },
    Object.fromEntries(
      seeds.map((seed) => [
        `have the same outcomes as the in-memory reference (seed ${seed})`,
        (scenario) => expectAlike(scenario, seed, rounds * OPERATIONS_PER_ROUND),
      ]),
    ),
  );
