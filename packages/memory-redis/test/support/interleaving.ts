import type { NodeRedisClient, NodeRedisCluster } from "../../src/index.ts";
import { intercept } from "./intercept.ts";

/** A call whose commands wait until they are let through, one by one. */
interface Party {
  readonly client: NodeRedisClient | NodeRedisCluster;
  /** Lets the next command through, and waits for its reply. Returns `false` if the call has settled. */
  readonly step: () => Promise<boolean>;
  readonly start: (call: Promise<unknown>) => void;
}

function createParty(client: NodeRedisClient | NodeRedisCluster): Party {
  const waiting: (() => Promise<unknown>)[] = [];
  let settled = false;
  let wake = () => {};
  return {
    client: intercept(
      client,
      ({ send }) =>
        new Promise((resolve, reject) => {
          waiting.push(() => send().then(resolve, reject));
          wake();
        }),
    ),
    step: async () => {
      while (waiting.length === 0 && !settled) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const next = waiting.shift();
      await next?.();
      return next !== undefined;
    },
    start: (call) => {
      const end = () => {
        settled = true;
        wake();
      };
      call.then(end, end);
    },
  };
}

type Call<T> = (client: NodeRedisClient | NodeRedisCluster) => Promise<T>;

/**
 * Runs two calls at the same time, and lets their commands through in the order of `schedule`: `true` stands for one of
 * `first`. After its end, the rest of `first` comes before the rest of `second`. Returns the results.
 */
export async function interleave<A, B>(
  client: NodeRedisClient | NodeRedisCluster,
  [first, second]: readonly [Call<A>, Call<B>],
  schedule: readonly boolean[],
): Promise<readonly [A, B]> {
  const parties = [createParty(client), createParty(client)] as const;
  const [a, b] = parties;
  const calls = [first(a.client), second(b.client)] as const;
  a.start(calls[0]);
  b.start(calls[1]);
  for (const isFirst of schedule) await (isFirst ? a : b).step();
  for (const party of parties) while (await party.step()) {}
  return Promise.all(calls);
}

/** Returns all orders of `first` commands of one call and `second` commands of another. */
export function allSchedules(first: number, second: number): readonly (readonly boolean[])[] {
  if (first === 0 || second === 0) return [Array.from({ length: first + second }, () => first > 0)];
  return [
    ...allSchedules(first - 1, second).map((rest) => [true, ...rest]),
    ...allSchedules(first, second - 1).map((rest) => [false, ...rest]),
  ];
}
