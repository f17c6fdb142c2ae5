import { isDeepStrictEqual } from "node:util";
import type { Result } from "../../../contract/errors.ts";
import type { ConversationMemory } from "../../../contract/provider.ts";
import type { VersionedMemoryProvider } from "../../../contract/versioned-provider.ts";
import { createInMemoryProvider } from "../../../in-memory/provider.ts";
import { type Known, type RandomOperation, surveys } from "./random-operation.ts";

// Incarnations are random, but their names are equal in two stores that behave in the same way.
/** Names for the incarnations of a store, numbered in the order in which they first occur (e.g. `incarnation 1`). */
export type Names = Map<string, string>;

const isConversation = (value: unknown): value is ConversationMemory =>
  typeof value === "object" && value !== null && "conversationId" in value;

function nameOf(incarnation: unknown, names: Names): unknown {
  if (typeof incarnation !== "string") return incarnation;
  const name = names.get(incarnation) ?? `incarnation ${names.size + 1}`;
  names.set(incarnation, name);
  return name;
}

function inOrder(items: readonly unknown[]): readonly unknown[] {
  if (!items.every(isConversation)) return items;
  return items.toSorted((a, b) => (a.conversationId < b.conversationId ? -1 : 1));
}

/** Returns the data without everything that may be different in two correct stores. */
function comparable(data: unknown, names: Names): unknown {
  // This is: times, digests, the order of conversations with equal times, and the order of trace ids. Other rules test
  // digests.
  if (data instanceof Date) return "a date";
  // Sort before incarnations get their names, because the names depend on the order.
  if (Array.isArray(data)) return inOrder(data).map((item) => comparable(item, names));
  if (typeof data !== "object" || data === null) return data;
  const compared = Object.entries(data).filter(([key]) => key !== "historyDigest");
  const fields = compared.map(([key, value]) => {
    if (key === "incarnation") return [key, nameOf(value, names)];
    if (key === "traceIds" && Array.isArray(value)) return [key, value.toSorted()];
    return [key, comparable(value, names)];
  });
  return Object.fromEntries(fields);
}

/** Converts the result of a call into a value that must be equal for two stores that got the same calls. */
export function outcome(result: Result<unknown>, names: Names): unknown {
  if (result.success) return comparable(result.data, names);
  const { _tag, ...error } = result.error;
  return "reason" in error ? [_tag, error.reason, error.actualVersion] : [_tag];
}

/** Operations that run at the same time, one for each client. */
export type Round = readonly RandomOperation[];

/** A round whose results are wrong: no serial order of its operations (one after another) could give these results. */
export interface Anomaly {
  readonly script: readonly Round[];
  /** The results of the operations in the last round, in the order of the clients. */
  readonly observed: readonly unknown[];
  /** What the reads in `surveys` return after the last round. */
  readonly state: unknown;
  /** For each serial order of the last round's operations, the results of the reference store. */
  readonly explanations: readonly Explanation[];
}

interface Explanation {
  /** The numbers of the clients, in the order in which their operations ran. */
  readonly order: readonly number[];
  readonly outcomes: readonly unknown[];
  readonly state: unknown;
}

/** Returns all orders of the numbers from 0 to `count - 1`. The ascending order comes first. */
function orders(count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  const last = count - 1;
  return orders(last).flatMap((order) =>
    Array.from({ length: count }, (_, back) => order.toSpliced(last - back, 0, last)),
  );
}

/** The incarnations that the clients of one store have read, and their names. */
interface Memory {
  readonly known: readonly Known[];
  readonly names: Names;
}

const createMemory = (clients: number): Memory => ({
  known: Array.from({ length: clients }, () => new Map()),
  names: new Map(),
});

const knownBy = ({ known }: Memory, client: number): Known => known[client] ?? new Map();

/**
 * Returns the results of a round in the order of the clients (`outcomes`), and what the reads in `surveys` return after
 * it (`state`).
 */
async function observe(
  provider: VersionedMemoryProvider,
  results: readonly Result<unknown>[],
  { names }: Memory,
) {
  // New incarnations get their names in the order in which they occur in these values.
  const outcomes = results.map((result) => outcome(result, names));
  const state: unknown[] = [];
  for (const { run } of surveys) state.push(outcome(await run(provider, new Map()), names));
  return { outcomes, state };
}

/** A round, and the serial order of its operations that explains its results. */
interface Past {
  readonly round: Round;
  readonly order: readonly number[];
}

// A store can't be copied, but its rounds can be run again on a new store.
/** The reference store, with all rounds that were run on it (`history`). */
interface Model {
  readonly reference: VersionedMemoryProvider;
  readonly memory: Memory;
  readonly history: readonly Past[];
}

async function explain({ reference, memory }: Model, { round, order }: Past): Promise<Explanation> {
  const results: Result<unknown>[] = [];
  for (const client of order) {
    const operation = round[client];
    if (operation !== undefined) results[client] = await operation.run(reference, knownBy(memory, client));
  }
  return { order, ...(await observe(reference, results, memory)) };
}

async function replay(history: readonly Past[], clients: number): Promise<Model> {
  const model = { reference: createInMemoryProvider(), memory: createMemory(clients), history };
  for (const past of history) await explain(model, past);
  return model;
}

/**
 * Looks for a serial order of a round's operations in which the reference store returns the results `seen`. Returns the
 * reference store after this order, or its results for every order if there is no such order.
 */
async function follow(
  model: Model,
  round: Round,
  seen: Pick<Anomaly, "observed" | "state">,
): Promise<Model | readonly Explanation[]> {
  const { history, memory } = model;
  const explanations: Explanation[] = [];
  for (const order of orders(round.length)) {
    const tried = explanations.length === 0 ? model : await replay(history, memory.known.length);
    const explanation = await explain(tried, { round, order });
    if (isDeepStrictEqual([explanation.outcomes, explanation.state], [seen.observed, seen.state])) {
      return { ...tried, history: [...history, { round, order }] };
    }
    explanations.push(explanation);
  }
  return explanations;
}

/**
 * Runs a script on a store, with the operations of a round at the same time. Returns the first round whose results no
 * serial order of its operations gives on the in-memory reference store, or `undefined`.
 */
export async function findAnomaly(
  clients: readonly [VersionedMemoryProvider, ...VersionedMemoryProvider[]],
  script: readonly Round[],
): Promise<Anomaly | undefined> {
  const memory = createMemory(clients.length);
  let model = await replay([], clients.length);
  for (const [index, round] of script.entries()) {
    const results = await Promise.all(
      round.map(({ run }, client) =>
        run(clients[client % clients.length] ?? clients[0], knownBy(memory, client)),
      ),
    );
    const { outcomes: observed, state } = await observe(clients[0], results, memory);
    const followed = await follow(model, round, { observed, state });
    if (!("reference" in followed)) {
      return { script: script.slice(0, index + 1), observed, state, explanations: followed };
    }
    model = followed;
  }
  return undefined;
}
