import { Agent } from "node:http";
import { inParallel, type Lab } from "../lab.ts";
import { now, quantile } from "../statistics.ts";
import { readStream } from "./read-stream.ts";
import { type RawEvent, requestFor } from "./server-messages.ts";
import { startServer } from "./start-server.ts";

const PIECES = 500;
const WIDTH = 16;
const ROUNDS = 8;

/** The duration of a reply in microseconds, of the server and of a route that Hono streams, and the number of its events. */
export interface Instant {
  readonly ours: number;
  readonly honos: number;
  readonly events: number;
}

/** Compares turns of a model that replies at once with a Hono route that sends the same events. `turns`: of each contender. */
export async function measureInstant(lab: Lab, redisUrl: string, turns: number): Promise<Instant> {
  const server = await startServer(lab, { redisUrl });
  const agent = new Agent({ keepAlive: true });
  lab.onEnd(() => agent.destroy());
  const recorded: RawEvent[] = [];
  const body = requestFor(PIECES);
  const turn = (userId: string, onEvent: (event: RawEvent) => void = () => {}) =>
    readStream({ url: `${server.url}/chat`, method: "POST", userId, body, agent, onEvent });
  const raw = () =>
    readStream({ url: `${server.url}/raw`, method: "GET", userId: "raw", agent, onEvent: () => {} });
  await turn("warm-up", (event) => recorded.push(event));
  server.record(recorded);
  lab.progress(`${turns} replies of ${PIECES} pieces, ${WIDTH} at a time, beside Hono's`);
  const timed = async (once: (nth: number) => Promise<void>, count: number) => {
    const start = now();
    await inParallel(Array(count).keys(), WIDTH, once);
    return (now() - start) / count;
  };
  const [ours, honos]: [number[], number[]] = [[], []];
  for (let round = -1; round < ROUNDS; round++) {
    const mine = await timed((nth) => turn(`user-${round}-${nth}`), turns / ROUNDS);
    const its = await timed(raw, turns / ROUNDS);
    if (round < 0) continue;
    ours.push(mine);
    honos.push(its);
  }
  server.stop();
  return { ours: quantile(ours, 0.5), honos: quantile(honos, 0.5), events: recorded.length };
}
