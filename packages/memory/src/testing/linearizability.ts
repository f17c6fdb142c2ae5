import { isDeepStrictEqual } from "node:util";
import { createInMemoryProvider } from "../in-memory/provider.ts";
import type { VersionedMemoryProvider } from "../versioned-provider.ts";
import { outcome } from "./outcome.ts";
import { type RandomOperation, surveys } from "./random-operation.ts";

/** What the clients do at once, one operation each. */
export type Round = readonly RandomOperation[];

/** A round whose outcomes no serial order of its operations explains. */
export interface Anomaly {
  readonly script: readonly Round[];
  /** What each operation of the last round gave, in the order of the clients. */
  readonly observed: readonly unknown[];
  /** What the store shows afterwards. */
  readonly state: unknown;
  /** What the reference gives for each serial order. */
  readonly explanations: readonly Explanation[];
}

export interface Explanation {
  /** The clients' numbers, in the order of their operations. */
  readonly order: readonly number[];
  readonly outcomes: readonly unknown[];
  readonly state: unknown;
}

/** All orders of so many things, the plain one first. */
function orders(count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  const last = count - 1;
  return orders(last).flatMap((order) =>
    Array.from({ length: count }, (_, back) => order.toSpliced(last - back, 0, last)),
  );
}

async function survey(provider: VersionedMemoryProvider): Promise<unknown> {
  const shown: unknown[] = [];
  for (const { run } of surveys) shown.push(outcome(await run(provider)));
  return shown;
}

async function replay(history: readonly RandomOperation[]): Promise<VersionedMemoryProvider> {
  const reference = createInMemoryProvider();
  for (const { run } of history) await run(reference);
  return reference;
}

async function explain(
  reference: VersionedMemoryProvider,
  round: Round,
  order: readonly number[],
): Promise<Explanation> {
  const outcomes: unknown[] = [];
  for (const client of order) {
    const operation = round[client];
    if (operation !== undefined) outcomes[client] = outcome(await operation.run(reference));
  }
  return { order, outcomes, state: await survey(reference) };
}

/** The reference and the history that led to it: a store can't be copied, but its history can be run again. */
interface Model {
  readonly reference: VersionedMemoryProvider;
  readonly history: readonly RandomOperation[];
}

/** The model after the round, in the first order that explains what was observed; else what each order gives. */
async function follow(
  { reference, history }: Model,
  round: Round,
  seen: Pick<Anomaly, "observed" | "state">,
): Promise<Model | readonly Explanation[]> {
  const explanations: Explanation[] = [];
  for (const order of orders(round.length)) {
    const tried = explanations.length === 0 ? reference : await replay(history);
    const explanation = await explain(tried, round, order);
    if (isDeepStrictEqual([explanation.outcomes, explanation.state], [seen.observed, seen.state])) {
      return { reference: tried, history: [...history, ...order.flatMap((client) => round[client] ?? [])] };
    }
    explanations.push(explanation);
  }
  return explanations;
}

/**
 * Runs a script, a client per operation of a round, and looks after each round for a serial order of it that the
 * in-memory reference explains. `undefined` if there is one for every round.
 */
export async function findAnomaly(
  clients: readonly [VersionedMemoryProvider, ...VersionedMemoryProvider[]],
  script: readonly Round[],
): Promise<Anomaly | undefined> {
  let model: Model = { reference: createInMemoryProvider(), history: [] };
  for (const [index, round] of script.entries()) {
    const results = await Promise.all(
      round.map(({ run }, client) => run(clients[client % clients.length] ?? clients[0])),
    );
    const seen = { observed: results.map(outcome), state: await survey(clients[0]) };
    const followed = await follow(model, round, seen);
    if (!("reference" in followed)) {
      return { script: script.slice(0, index + 1), ...seen, explanations: followed };
    }
    model = followed;
  }
  return undefined;
}
