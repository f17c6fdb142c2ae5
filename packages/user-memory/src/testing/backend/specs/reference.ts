import { expect } from "vitest";
import type { UserMemoryBackend } from "../../../backend.ts";
import { createInMemoryUserMemoryBackend } from "../../../in-memory/backend.ts";
import { randomNumbers } from "../../random.ts";
import { allFacts } from "../expectations.ts";
import { type Look, randomStep } from "../random/step.ts";
import type { BackendSpec } from "../spec.ts";

/** Returns a new reference backend. The reference has no `nearest` if the tested backend has none. */
function referenceFor({ nearest }: UserMemoryBackend): UserMemoryBackend {
  const { nearest: near, ...rest } = createInMemoryUserMemoryBackend();
  return nearest === undefined || near === undefined ? rest : { ...rest, nearest: near };
}

/** Returns a matcher for a result: in lists of numbers (e.g. vectors), nearly equal numbers match. */
// Backends can use single precision.
const nearly = (expected: unknown): unknown =>
  Array.isArray(expected) && typeof expected[0] === "number"
    ? expected.map((number: unknown) => expect.closeTo(Number(number), 5))
    : expected;

async function expectAlike(backend: UserMemoryBackend, seed: number, operations: number): Promise<void> {
  const reference = referenceFor(backend);
  const random = randomNumbers(seed);
  const look: Look = async (user) => ({
    head: (await reference.read(user, {})).head,
    facts: await allFacts(reference, user),
  });
  for (let index = 0; index < operations; index++) {
    const { name, run } = await randomStep(random, look);
    const expected = await run(reference);
    expect(await run(backend), `seed ${seed}, operation ${index}: ${name}`).toEqual(nearly(expected));
  }
}

export const reference = (run: {
  readonly seeds: readonly number[];
  readonly operations: number;
}): BackendSpec => ({
  subject: "random operations",
  rules: Object.fromEntries(
    run.seeds.map((seed) => [
      `have the outcomes that the in-memory reference has (seed ${seed})`,
      ({ backend }) => expectAlike(backend, seed, run.operations),
    ]),
  ),
});
