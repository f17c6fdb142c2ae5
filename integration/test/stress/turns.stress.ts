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

/** Lets the processes take the turns, and compares their reports with the stored messages. */
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
  "4 processes with turns in the same conversations, on %s",
  (backend) => {
    it("take 10,000 turns in 100 conversations: none is lost, doubled or mixed with another", async () => {
      const load = { conversations: 100, turns: 25 };
      const { checked, outcomes } = await take(backend, "100 conversations", load);
      expect(checked.problems).toEqual([]);
      expect(outcomes).toEqual({ completed: 10_000 });
      expect(checked).toMatchObject({ whole: 10_000, partial: 0 });
    });

    it("alternate: none waits until another has taken all of its turns", async () => {
      const load = { conversations: 4, turns: 15, modelMs: 100 };
      const { checked, outcomes, count } = await take(backend, "fairness", load);
      expect(checked.problems).toEqual([]);
      expect(outcomes).toEqual({ completed: count });
      expect(shareHandedOver(checked)).toBeGreaterThan(0.4);
    });

    it("keep the order of each process's simultaneous turns in one conversation", async () => {
      const { checked, outcomes, count } = await take(backend, "3 at a time", {
        conversations: 20,
        lanes: 3,
      });
      expect(checked.problems).toEqual([]);
      expect(outcomes).toEqual({ completed: count });
    });

    it("succeed if each is refused while another holds the lease, and tries again", async () => {
      const load = { conversations: 10, concurrency: "reject" } as const;
      const { checked, outcomes, count } = await take(backend, "refused", load);
      expect(checked.problems).toEqual([]);
      expect(outcomes).toEqual({ completed: count });
    });

    it.each(["reject", "queue"] as const)(
      "take 10,000 turns in bursts while one is killed: none is lost, doubled or mixed, %s",
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

    it("continue if one of them is killed (SIGKILL): its last turns may be partial, none is mixed up", async () => {
      const load = { conversations: 20, leaseMs: 1_500, kill: { process: 1, afterTurns: 300 } };
      const { checked, outcomes, count } = await take(backend, "one is killed", load);
      expect(checked.problems).toEqual([]);
      expect(Object.keys(outcomes)).toEqual(["completed"]);
      expect(checked.whole).toBeGreaterThanOrEqual((count / PROCESSES) * (PROCESSES - 1));
      expect(checked.whole).toBeLessThan(count);
    });
  },
);
