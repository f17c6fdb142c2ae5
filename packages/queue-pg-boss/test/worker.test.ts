import { setImmediate as immediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Job, Jobs } from "../src/jobs.ts";
import { startWorker } from "../src/worker.ts";

const POLLING_MS = 500;
const RENEWAL_MS = 15_000;

const jobOf = (id: string, retryCount = 0): Job => ({
  id,
  retryCount,
  pointer: { conversationId: "c", turnId: id },
});

/** Jobs in memory, and the calls of the worker. */
function createFakeJobs(changed: Partial<Jobs> = {}) {
  const waiting: Job[] = [];
  const calls: string[] = [];
  const noted = (name: string) => async (job: Job) => void calls.push(`${name} ${job.id}`);
  const jobs: Jobs = {
    submit: async () => {},
    cancel: async () => false,
    fetch: async (most) => {
      calls.push(`fetch ${most}`);
      return waiting.splice(0, most);
    },
    remove: noted("remove"),
    retry: noted("retry"),
    giveBack: noted("give back"),
    renew: async () => [],
    ...changed,
  };
  return { jobs, waiting, calls, fetches: () => calls.filter((call) => call.startsWith("fetch")) };
}

/** Waits until the worker has done everything that it can without a timer. */
async function settle(): Promise<void> {
  for (let count = 0; count < 5; count++) await immediate();
}

function createGates() {
  const gates = new Map<string, () => void>();
  return {
    hold: (id: string) => new Promise<void>((resolve) => void gates.set(id, resolve)),
    open: (id: string) => gates.get(id)?.(),
  };
}

const onError = (thrown: unknown) => expect.fail(String(thrown));

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval"] }));
afterEach(() => void vi.useRealTimers());

it("asks for jobs at once if it is woken, and otherwise every 500 ms", async () => {
  const { jobs, waiting, calls, fetches } = createFakeJobs();
  const worker = startWorker(jobs, { concurrency: 2, handle: async () => {}, onError });
  await settle();
  expect(fetches()).toEqual(["fetch 2"]);
  await vi.advanceTimersByTimeAsync(POLLING_MS - 1);
  expect(fetches()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(fetches()).toHaveLength(2);
  waiting.push(jobOf("a"));
  worker.wake();
  await settle();
  expect(calls).toContain("remove a");
  await worker.close();
});

it("asks for nothing while all places are taken, and again when one is free", async () => {
  const { jobs, waiting, fetches } = createFakeJobs();
  const { hold, open } = createGates();
  waiting.push(jobOf("a"), jobOf("b"), jobOf("c"));
  const worker = startWorker(jobs, { concurrency: 2, handle: ({ turnId }) => hold(turnId), onError });
  await settle();
  worker.wake();
  await vi.advanceTimersByTimeAsync(10 * POLLING_MS);
  expect(fetches()).toEqual(["fetch 2"]);
  expect(waiting).toHaveLength(1);
  open("b");
  await settle();
  expect(fetches()).toEqual(["fetch 2", "fetch 1"]);
  expect(waiting).toEqual([]);
  for (const id of ["a", "c"]) open(id);
  await worker.close();
});

it("reports a failure of the queue, and tries again after a pause", async () => {
  const errors: unknown[] = [];
  let attempts = 0;
  const { jobs } = createFakeJobs({
    fetch: async () => {
      attempts += 1;
      throw new Error("down");
    },
  });
  const worker = startWorker(jobs, {
    concurrency: 1,
    handle: async () => {},
    onError: (error) => errors.push(error),
  });
  await settle();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(attempts).toBeGreaterThan(5);
  expect(attempts).toBeLessThan(15);
  expect(errors).toHaveLength(attempts);
  await worker.close();
});

it("lets a rejected job wait, also if its handle throws at once", async () => {
  const { jobs, waiting, calls } = createFakeJobs();
  waiting.push(jobOf("a"));
  const handle = () => {
    throw new Error("no");
  };
  const worker = startWorker(jobs, { concurrency: 1, handle, onError });
  await settle();
  expect(calls).toContain("retry a");
  await worker.close();
});

it("aborts the signals of jobs that another worker has", async () => {
  const renewed: (readonly string[])[] = [];
  const { jobs, waiting } = createFakeJobs({
    renew: async (held) => {
      renewed.push(held.map(({ id }) => id));
      return held.filter(({ id }) => id === "b");
    },
  });
  const { hold, open } = createGates();
  const signals = new Map<string, AbortSignal>();
  waiting.push(jobOf("a"), jobOf("b"));
  const worker = startWorker(jobs, {
    concurrency: 2,
    handle: ({ turnId }, signal) => {
      signals.set(turnId, signal);
      return hold(turnId);
    },
    onError,
  });
  await settle();
  await vi.advanceTimersByTimeAsync(RENEWAL_MS);
  expect(renewed).toEqual([["a", "b"]]);
  expect([signals.get("a")?.aborted, signals.get("b")?.aborted]).toEqual([false, true]);
  for (const id of ["a", "b"]) open(id);
  await worker.close();
  await vi.advanceTimersByTimeAsync(RENEWAL_MS);
  expect(renewed).toHaveLength(1);
});

it("gives jobs back that arrive as it closes", async () => {
  let answer: (jobs: readonly Job[]) => void = () => {};
  const { jobs, calls } = createFakeJobs({
    fetch: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  const worker = startWorker(jobs, { concurrency: 2, handle: async () => expect.fail("handled"), onError });
  await settle();
  const closing = worker.close();
  answer([jobOf("a"), jobOf("b")]);
  await closing;
  expect(calls).toEqual(["give back a", "give back b"]);
});
