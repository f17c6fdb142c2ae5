import { inParallel, type Lab } from "../lab.ts";
import { type Contender, type Measured, measure, type Rounds } from "../statistics.ts";
import type { Backend } from "../stores/backend.ts";
import type { Store } from "../stores/store.ts";

/** How many messages the conversations of a measurement have. */
export const LENGTHS = [10, 1_000, 10_000] as const;
/** In messages. */
export type Length = number;

export interface Workload {
  readonly name: string;
  readonly store: Store;
  readonly call: (store: Store, conversationId: string, length: Length) => Promise<void>;
  /** Once for each conversation, untimed. */
  readonly prepare?: (conversationId: string, length: Length) => Promise<void>;
  /** How many messages a call adds, where that isn't as in the plan. */
  readonly grows?: number;
}

export interface Plan extends Rounds {
  readonly lengths: readonly Length[];
  /** How many messages a call adds. */
  readonly grows: number;
  /** Each contender has at least so many conversations. Default 4. */
  readonly fewest?: number;
}

// An append makes a conversation longer: so many of them that none grows by more than a fifth.
const conversationsFor = (length: Length, { grows, warmUp, rounds, fewest = 4 }: Plan): number =>
  Math.max(fewest, Math.ceil(((warmUp + rounds) * grows) / (length / 5)));

interface Place {
  readonly lab: Lab;
  readonly backend: Pick<Backend, "name" | "tidy">;
  /** Of what is measured: unlike any other on this backend. */
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

/** Every workload at every length, all of them interleaved. */
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
