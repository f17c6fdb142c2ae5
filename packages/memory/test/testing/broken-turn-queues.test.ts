import { describe, expect, it } from "vitest";
import { cancelRules } from "../../src/testing/turn-queue/cancel-rules.ts";
import { deliveryRules } from "../../src/testing/turn-queue/delivery-rules.ts";
import { orderRules } from "../../src/testing/turn-queue/order-rules.ts";
import { refusalRules } from "../../src/testing/turn-queue/refusal-rules.ts";
import { rejectionRules } from "../../src/testing/turn-queue/rejection-rules.ts";
import { checkTurnQueueRule, type TestTurnQueue } from "../../src/testing/turn-queue/scenario.ts";
import { closingRules, concurrencyRules } from "../../src/testing/turn-queue/worker-rules.ts";
import type { TurnQueue } from "../../src/turn-queue/turn-queue.ts";
import { createInMemoryTurnQueue, createTurnQueueStorage } from "./turn-queue/in-memory.ts";

const rules = {
  ...deliveryRules,
  ...orderRules,
  ...cancelRules,
  ...concurrencyRules,
  ...closingRules,
  ...rejectionRules,
  ...refusalRules,
};

type Broken = (queue: TurnQueue) => Partial<TurnQueue>;
type Handle = Parameters<TurnQueue["work"]>[0]["handle"];

/** Changes how pointers are handled. */
const handling =
  (change: (handle: Handle) => Handle): Broken =>
  (queue) => ({ work: (options) => queue.work({ ...options, handle: change(options.handle) }) });

/** Changes what is submitted and canceled. */
const pointing =
  (change: (pointer: { readonly conversationId: string; readonly turnId: string }) => string): Broken =>
  (queue) => ({
    submit: (pointer, options) => queue.submit({ ...pointer, turnId: change(pointer) }, options),
    cancel: (pointer) => queue.cancel({ ...pointer, turnId: change(pointer) }),
  });

const OK = { success: true, data: undefined } as const;

/** Mistakes of an adapter, and a rule that finds each. */
const mistakes: Readonly<Record<string, readonly [rule: keyof typeof rules, broken: Broken]>> = {
  "adds fields to a pointer": [
    "delivers a pointer as it was submitted, with a signal",
    handling((handle) => (pointer, signal) => handle({ ...pointer, id: 1 } as typeof pointer, signal)),
  ],
  "gives no signal": [
    "delivers a pointer as it was submitted, with a signal",
    handling((handle) => (pointer) => handle(pointer, undefined as never)),
  ],
  "only delivers what waits as a worker begins": [
    "delivers what was submitted before the worker began, and what comes later",
    (queue) => {
      let hasWorker = false;
      return {
        submit: async (pointer, options) => (hasWorker ? OK : queue.submit(pointer, options)),
        work: (options) => {
          hasWorker = true;
          return queue.work(options);
        },
      };
    },
  ],
  "queues a pointer each time": [
    "queues a pointer once while it waits",
    (queue) => {
      let copies = 0;
      return {
        submit: (pointer, options) =>
          queue.submit({ ...pointer, turnId: `${pointer.turnId}#${copies++}` }, options),
        ...handling(
          (handle) => (pointer, signal) =>
            handle({ ...pointer, turnId: pointer.turnId.replace(/#\d+$/, "") }, signal),
        )(queue),
      };
    },
  ],
  "takes the options of the last submission": [
    "keeps the priority and the time of a pointer that waits",
    (queue) => ({
      submit: async (pointer, options) => {
        await queue.cancel(pointer);
        return queue.submit(pointer, options);
      },
    }),
  ],
  "remembers the ids of handled pointers": [
    "delivers a pointer again that is submitted after it was handled",
    (queue) => {
      const known = new Set<string>();
      return {
        submit: async (pointer, options) => {
          const id = JSON.stringify(pointer);
          if (known.has(id)) return OK;
          known.add(id);
          return queue.submit(pointer, options);
        },
      };
    },
  ],
  "compares ids without regard to case": [
    "keeps hostile ids apart",
    pointing(({ turnId }) => turnId.toLowerCase()),
  ],
  "loses a pointer now and then": [
    "delivers each of 1,000 pointers",
    (queue) => {
      let count = 0;
      return {
        submit: async (pointer, options) => (++count % 500 === 0 ? OK : queue.submit(pointer, options)),
      };
    },
  ],
  "ignores priorities": [
    "delivers those with the highest priority first, and equal ones in their order",
    (queue) => ({ submit: (pointer, { priority: _, ...options } = {}) => queue.submit(pointer, options) }),
  ],
  "delivers the lowest number first": [
    "delivers those with the highest priority first, and equal ones in their order",
    (queue) => ({
      submit: (pointer, { priority = 0, ...options } = {}) =>
        queue.submit(pointer, { ...options, priority: -priority }),
    }),
  ],
  "delivers the last one first": [
    "delivers in the order of submission",
    (queue) => {
      let priority = 0;
      return { submit: (pointer, options) => queue.submit(pointer, { priority: priority++, ...options }) };
    },
  ],
  "ignores times": [
    "delivers a pointer at its time, and not earlier",
    (queue) => ({ submit: (pointer, { at: _, ...options } = {}) => queue.submit(pointer, options) }),
  ],
  "ignores the priority of a pointer with a time": [
    "delivers a pointer by its priority when it is due",
    (queue) => ({
      submit: (pointer, options = {}) =>
        queue.submit(pointer, options.at === undefined ? options : { at: options.at }),
    }),
  ],
  "gives a time to a timer that overflows": [
    "keeps what is due much later",
    (queue) => ({
      submit: (pointer, { at, ...options } = {}) =>
        at !== undefined && at.getTime() - Date.now() > 2_147_483_647
          ? queue.submit(pointer, options)
          : queue.submit(pointer, { ...options, ...(at === undefined ? {} : { at }) }),
    }),
  ],
  "says that it canceled an unknown pointer": [
    "removes nothing that doesn't wait",
    (queue) => ({
      cancel: async (pointer) => {
        const canceled = await queue.cancel(pointer);
        return canceled.success ? { success: true, data: true } : canceled;
      },
    }),
  ],
  "only says that it canceled a pointer": [
    "removes a pointer that waits",
    () => {
      const canceled = new Set<string>();
      return {
        cancel: async ({ turnId }) => {
          const isNew = !canceled.has(turnId);
          canceled.add(turnId);
          return { success: true, data: isNew };
        },
      };
    },
  ],
  "handles one after the other": [
    "handles as many pointers at once as a worker allows, and no more",
    (queue) => ({ work: (options) => queue.work({ ...options, concurrency: 1 }) }),
  ],
  "handles more than a worker allows": [
    "handles as many pointers at once as a worker allows, and no more",
    (queue) => ({ work: (options) => queue.work({ ...options, concurrency: options.concurrency + 1 }) }),
  ],
  "waits for all of a batch": [
    "goes on delivering while one handle takes long",
    handling((handle) => {
      const running = new Set<Promise<void>>();
      return async (pointer, signal) => {
        await Promise.all(running);
        const call = handle(pointer, signal);
        running.add(call);
        await call;
      };
    }),
  ],
  "closes a worker at once": [
    "waits for running handlers as a worker closes, and takes no more",
    (queue) => ({
      work: (options) => {
        const worker = queue.work(options);
        return { close: async () => void worker.close() };
      },
    }),
  ],
  "doesn't close a worker": [
    "closes an idle worker, and keeps what comes later for the next",
    (queue) => ({
      work: (options) => {
        queue.work(options);
        return { close: async () => {} };
      },
    }),
  ],
  "forgets a rejected pointer": [
    "delivers a pointer again, whatever its handle rejected with",
    handling((handle) => (pointer, signal) => handle(pointer, signal).catch(() => {})),
  ],
  "gives up after three deliveries": [
    "delivers a pointer a fifth time if its handle rejected four times",
    handling((handle) => {
      let times = 0;
      return async (pointer, signal) => (++times > 3 ? undefined : handle(pointer, signal));
    }),
  ],
  "queues a rejected pointer a second time": [
    "queues a rejected pointer once while it waits",
    (queue) => {
      const rejected = new Set<string>();
      return {
        submit: (pointer, options) =>
          queue.submit(
            { ...pointer, turnId: pointer.turnId + (rejected.has(pointer.turnId) ? "#2" : "") },
            options,
          ),
        ...handling((handle) => (pointer, signal) => {
          const turnId = pointer.turnId.replace(/#2$/, "");
          return handle({ ...pointer, turnId }, signal).catch((thrown: unknown) => {
            rejected.add(turnId);
            throw thrown;
          });
        })(queue),
      };
    },
  ],
  "delivers a rejected pointer at once": [
    "leaves time before it delivers a pointer again",
    handling((handle) => async (pointer, signal) => {
      for (let times = 0; times < 100; times++)
        if (
          await handle(pointer, signal).then(
            () => true,
            () => false,
          )
        )
          return;
    }),
  ],
  "continues after close": ["fails after close, and closes twice", () => ({ close: async () => OK })],
};

function testQueue(broken: Broken): TestTurnQueue {
  const working = createInMemoryTurnQueue(createTurnQueueStorage());
  const queue = { ...working, ...broken(working) };
  return { queue, dispose: async () => void (await working.close()) };
}

describe.concurrent("the kit for turn queues", () => {
  it.each(Object.entries(mistakes))("finds a queue that %s", async (_, [title, broken]) => {
    const rule = rules[title];
    if (rule === undefined) throw new Error("there is no such rule");
    await checkTurnQueueRule(
      testQueue(() => ({})),
      rule,
      60_000,
    );
    await expect(checkTurnQueueRule(testQueue(broken), rule, 4_000)).rejects.toThrow();
  });
});
