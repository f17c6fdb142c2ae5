import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { describeDifferences } from "../../kit/difference.ts";
import { defineSpec, type Scenario, type Spec } from "../../kit/spec.ts";
import { type Anomaly, findAnomaly, type Round } from "./linearizability.ts";
import { below, type RandomOperation, randomNumbers, randomStep } from "./random-operation.ts";
import { shrink } from "./shrink.ts";

const CLIENTS = 3;
/** The maximum number of differences that are shown for each serial order. */
const SHOWN_DIFFERENCES = 4;

function randomScript(seed: number, rounds: number): readonly Round[] {
  const random = randomNumbers(seed);
  return Array.from({ length: rounds }, () =>
    // Most rounds have an operation for every client.
    Array.from({ length: Math.min(CLIENTS, 1 + below(random, 2 * CLIENTS)) }, () => randomStep(random)),
  );
}

async function runScript({ provider, connect, disconnect }: Scenario, script: readonly Round[]) {
  const others = await Promise.all([connect(), connect()]);
  const anomaly = await findAnomaly([provider, ...others], script);
  await Promise.all(others.map(disconnect));
  return anomaly;
}

const json = (value: unknown): string => JSON.stringify(value) ?? "done";

function describeAnomaly(seed: number, rounds: number, anomaly: Anomaly): string {
  const { script, observed, state, explanations } = anomaly;
  const lines = script.flatMap((round, index) => [
    `round ${index + 1}${round.length > 1 ? ", at once" : ""}`,
    ...round.map(({ name }, client) => {
      const gave = index === script.length - 1 ? ` gave ${json(observed[client])}` : "";
      return `  client ${client + 1}: ${name}${gave}`;
    }),
  ]);
  const serial = explanations.flatMap((explanation) => {
    const expected = { outcomes: explanation.outcomes, state: explanation.state };
    const order = explanation.order.map((client) => client + 1).join(", ");
    const [first, ...others] = describeDifferences(
      expected,
      { outcomes: observed, state },
      SHOWN_DIFFERENCES,
    );
    return [`  ${order}: ${first}`, ...others.map((other) => `    ${other}`)];
  });
  return [
    `no serial order explains this: seed ${seed}, shrunk from ${rounds} rounds to ${script.length}`,
    ...lines,
    "each serial order of the last round would give something else",
    ...serial,
  ].join("\n");
}

async function expectSerial(scenario: Scenario, seed: number, rounds: number): Promise<void> {
  const found = await runScript(scenario, randomScript(seed, rounds));
  if (found === undefined) return;
  const anomaly = await shrink<RandomOperation, Anomaly>(found, async (script) =>
    runScript(await scenario.open(), script),
  );
  const likeliest =
    anomaly.explanations.find(({ outcomes }) => isDeepStrictEqual(outcomes, anomaly.observed)) ??
    anomaly.explanations[0];
  const message = describeAnomaly(seed, rounds, anomaly);
  const { observed, state } = anomaly;
  expect({ observed, state }, message).toEqual({ observed: likeliest?.outcomes, state: likeliest?.state });
  expect.fail(message);
}

interface RandomRun {
  readonly seeds: readonly number[];
  readonly rounds: number;
}

export const clients = ({ seeds, rounds }: RandomRun): Spec =>
  defineSpec(
    {
      level: "concurrency",
      subject: "three clients at once",
      why: "No order of the operations explains what users see together: something was lost, doubled or half done.",
      hint: "The operations of the last round: one of them isn't one atomic step.",
      reportsCalls: true,
    },
    Object.fromEntries(
      seeds.map((seed) => [
        `leave the result of some serial order of their operations (seed ${seed})`,
        (scenario) => expectSerial(scenario, seed, rounds),
      ]),
    ),
  );
