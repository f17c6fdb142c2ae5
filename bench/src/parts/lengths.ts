import { inParallel, type Lab } from "../lab.ts";
import { type Contender, type Measured, measure, type Rounds } from "../statistics.ts";
import type { Backend } from "../stores/backend.ts";
import type { Store } from "../stores/store.ts";

/** The lengths of a measurement's conversations. */
export const LENGTHS = [10, 1_000, 10_000] as const;
/** The number of messages. */
export type Length = number;

export interface Workload {
  readonly name: string;
  readonly store: Store;
  readonly call: (store: Store, conversationId: string, length: Length) => Promise<void>;
  /** Called once for each conversation, without measuring. */
  readonly prepare?: (conversationId: string, length: Length) => Promise<void>;
  /** The number of messages that a call adds, if it differs from the plan. */
  readonly grows?: number;
}

export interface Plan extends Rounds {
  readonly lengths: readonly Length[];
  /** The number of messages that a call adds. */
  readonly grows: number;
  /** The least number of conversations for each contender. Default 4. */
  readonly fewest?: number;
}

// Appends make conversations longer, so there are enough conversations that none grows by more than a fifth.
const conversationsFor = (length: Length, { grows, warmUp, rounds, fewest = 4 }: Plan): number =>
  Math.max(fewest, Math.ceil(((warmUp + rounds) * grows) / (length / 5)));

interface Place {
  readonly lab: Lab;
  readonly backend: Pick<Backend, "name" | "tidy">;
  /** The title of the measurement, unique on this backend. */
  readonly title: string;
}

async function prepare(
  title: string,
  { name, store, call, ...own }: Workload,
  { length, plan }: { readonly length: Length; readonly plan: Plan },
): Promise<Contender> {
  const count = conversationsFor(length, { ...plan, grows: own.grows ?? plan.grows });
  const ids = Array.from({ length: count }, (_, n) => `${title}-${name}-${length}-${n}`);
  await inParallel(ids, length > 1_000 ? 2 : 16, async (id) => {
    await store.seed(id, length);
    await own.prepare?.(id, length);
  });
  let calls = 0;
  const once = () => {
    calls += 1;
    return call(store, ids[calls % ids.length] as string, length);
  };
  return { name: `${name} ${length}`, once };
}

/** Measures every workload at every length, interleaved. */
export async function measureLengths(
  { lab, backend, title }: Place,
  workloads: readonly Workload[],
  plan: Plan,
): Promise<(name: string, length: Length) => Measured> {
  lab.progress(`${backend.name}: ${title}: filling`);
  const contenders: Contender[] = [];
  for (const length of plan.lengths) {
    for (const workload of workloads) contenders.push(await prepare(title, workload, { length, plan }));
  }
  await backend.tidy();
  lab.progress(`${backend.name}: ${title}: measuring`);
  const of = await measure(contenders, plan);
  return (name, length) => of(`${name} ${length}`);
}
