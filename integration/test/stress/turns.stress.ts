import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { checkStore } from "../support/turns/check.ts";
import { countOutcomes, describeLoad, shareHandedOver } from "../support/turns/figures.ts";
import { type LoadOptions, startTurnProcesses, type TurnProcesses } from "../support/turns/processes.ts";
import { dropStore, openStore, type StorePlace } from "../support/turns/store.ts";

declare module "vitest" {
  interface ProvidedContext {
    pgUrl: string;
    redisUrl: string;
  }
}

const PROCESSES = 4;

const DEFAULTS = {
  turns: 10,
  lanes: 1,
  modelMs: 20,
  mixedBy: "conversation",
  concurrency: "queue",
  leaseMs: 15_000,
} as const;

let processes: TurnProcesses;
const places: StorePlace[] = [];
beforeAll(() => {
  processes = startTurnProcesses(PROCESSES);
});
afterAll(async () => {
  await processes.stop();
  await Promise.all(places.map(dropStore));
});

type Backend = StorePlace["backend"];

/** Has the processes take the turns, and holds what they say against what is stored. */
async function take(
  backend: Backend,
  what: string,
  load: Partial<LoadOptions> & Pick<LoadOptions, "conversations">,
) {
  const place: StorePlace = {
    backend,
    url: inject(backend === "redis" ? "redisUrl" : "pgUrl"),
    namespace: `turns_${crypto.randomUUID().replaceAll("-", "")}`,
  };
  places.push(place);
  const title = `${backend}, ${what}`;
  const options: LoadOptions = { ...DEFAULTS, ...place, title, ...load };
  const outcome = await processes.run(options);
  const store = await openStore(place);
  const checked = await checkStore(store, { options, outcome });
  await store.close();
  process.stdout.write(describeLoad(title, outcome, checked));
  const count = PROCESSES * options.conversations * options.turns;
  return { checked, outcomes: countOutcomes(outcome), count };
}

describe.each<Backend>(["redis", "postgres"])(
  "4 processes that take turns of the same conversations, on %s",
  (backend) => {
    it("take 10,000 of 100 conversations: none is lost, doubled or mixed with another", async () => {
      const load = { conversations: 100, turns: 25 };
      const { checked, outcomes } = await take(backend, "100 conversations", load);
      expect(checked.problems).toEqual([]);
      expect(outcomes).toEqual({ completed: 10_000 });
      expect(checked).toMatchObject({ whole: 10_000, partial: 0 });
    });

    it("take them by turns: none waits until another has had all of its own", async () => {
      const load = { conversations: 4, turns: 15, modelMs: 100 };
      const { checked, outcomes, count } = await take(backend, "fairness", load);
      expect(checked.problems).toEqual([]);
      expect(outcomes).toEqual({ completed: count });
      expect(shareHandedOver(checked)).toBeGreaterThan(0.4);
    });

    it("keep the order of each, where a process has several under way of one conversation", async () => {
      const { checked, outcomes, count } = await take(backend, "3 at a time", {
        conversations: 20,
        lanes: 3,
      });
      expect(checked.problems).toEqual([]);
      expect(outcomes).toEqual({ completed: count });
    });

    it("get through where each is refused while another holds the lease, and tries again", async () => {
      const load = { conversations: 10, concurrency: "reject" } as const;
      const { checked, outcomes, count } = await take(backend, "refused", load);
      expect(checked.problems).toEqual([]);
      expect(outcomes).toEqual({ completed: count });
    });

    it.each(["reject", "queue"] as const)(
      "take 10,000 in bursts, one killed meanwhile: none is lost, doubled or mixed, %s",
      async (concurrency) => {
        const load = { conversations: 100, turns: 25, burst: 9, window: 12, modelMs: 2 };
        const { checked, outcomes } = await take(backend, `bursts, ${concurrency}`, {
          ...load,
          concurrency,
          leaseMs: 1_500,
          kill: { process: 2, afterTurns: 6_000 },
        });
        expect(checked.problems).toEqual([]);
        expect(Object.keys(outcomes)).toEqual(["completed"]);
        expect(checked.whole).toBeGreaterThan(7_500);
      },
    );

    it("go on where one of them is killed (SIGKILL): its last turns may be there in part, none is mixed up", async () => {
      const load = { conversations: 20, leaseMs: 1_500, kill: { process: 1, afterTurns: 300 } };
      const { checked, outcomes, count } = await take(backend, "one is killed", load);
      expect(checked.problems).toEqual([]);
      expect(Object.keys(outcomes)).toEqual(["completed"]);
      expect(checked.whole).toBeGreaterThanOrEqual((count / PROCESSES) * (PROCESSES - 1));
      expect(checked.whole).toBeLessThan(count);
    });
  },
);
