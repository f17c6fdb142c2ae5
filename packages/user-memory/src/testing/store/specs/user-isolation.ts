import { expect } from "vitest";
import { below, randomNumbers } from "../../random.ts";
import { everything } from "../expectations.ts";
import { type Party, randomCall, unlessRefused } from "../random-call.ts";
import type { RandomRun, StoreScenario, StoreSpec } from "../spec.ts";

const CLIENTS = 16;

/** Lets two users make random calls, on their own facts and with each other's ids, from 16 clients in two processes. */
async function expectIsolation(
  { memory, another, user, other }: Pick<StoreScenario, "memory" | "another" | "user" | "other">,
  { seed, operations }: { readonly seed: number; readonly operations: number },
): Promise<void> {
  const processes = [memory, await another()];
  const parties: readonly [Party, Party] = [
    { user, mark: "anntal", ids: [] },
    { user: other, mark: "bobtal", ids: [] },
  ];
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      const random = randomNumbers(seed * CLIENTS + client);
      for (let done = 0; done < operations / CLIENTS; done++) {
        const [first, second] = parties;
        const [own, theirs] = below(random, 2) === 0 ? [first, second] : [second, first];
        const process = processes[client % processes.length] ?? memory;
        await unlessRefused(randomCall(process, { own, other: theirs, random }));
      }
    }),
  );
  for (const { user: whose, mark } of parties) {
    const facts = await everything(memory, whose);
    expect(facts.filter(({ fact, userId }) => !fact.includes(mark) || userId !== whose)).toEqual([]);
    expect(await memory.verifyAudit(whose)).toMatchObject({ ok: true, facts: facts.length, problems: [] });
  }
}

export const userIsolation = ({ seeds, operations }: RandomRun): StoreSpec => ({
  subject: "two users",
  rules: Object.fromEntries(
    seeds.map((seed) => [
      `share no fact in ${operations} random operations of 16 clients (seed ${seed})`,
      (scenario) => expectIsolation(scenario, { seed, operations }),
    ]),
  ),
});
