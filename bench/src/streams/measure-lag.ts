import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Lab } from "../lab.ts";
import { quantile } from "../statistics.ts";
import { readStream } from "./read-stream.ts";
import { requestFor } from "./server-messages.ts";
import { agesIn } from "./stamp.ts";
import { startServer } from "./start-server.ts";

export const PER_SECOND = 50;
/** All streams begin within this time. */
const OPENING_MS = 1_000;
/** The measurement begins this long after the last stream. */
const PAUSE_MS = 2_000;
/** The streams last this much longer than the measurement, so that all are open during it and when their memory is measured. */
const MARGIN_SECONDS = 6;
/** The time after which timers and idle connections have ended. */
const SETTLE_MS = 8_000;
const WARM_UP = 50;

export interface LagOptions {
  readonly redisUrl: string;
  /** The path of the measured route. */
  readonly path: string;
  readonly streams: number;
  readonly seconds: number;
}

export interface Lag {
  readonly streams: number;
  /** The measured pieces, as a share of those that the model sends in the measured time. It is below 1 if the route can't keep up, and then asks the model for pieces later. */
  readonly arrived: number;
  /** The age of a piece when its reader has it. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  readonly cpuShare: number;
  /** The heap and the buffers of the server per stream, after a collection of garbage with all streams open; less than that of the idle server. */
  readonly bytesPerStream: number;
  /** The streams that lost a piece or didn't end well. */
  readonly broken: number;
  /** The heap and the buffers that the server kept after all streams had ended. */
  readonly keptBytes: number;
}

/** Measures the age of each piece at its reader, for many simultaneous streams with a fixed rate of pieces. */
export async function measureLag(lab: Lab, { redisUrl, path, streams, seconds }: LagOptions): Promise<Lag> {
  const server = await startServer(lab, { redisUrl, perSecond: PER_SECOND });
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  lab.onEnd(() => agent.destroy());
  const ages: number[] = [];
  let isMeasuring = false;
  /** Reads one reply. Resolves with whether the reply is whole. */
  const read = async (userId: string, pieces: number): Promise<boolean> => {
    let received = 0;
    let hasEnded = false;
    await readStream({
      ...{ url: `${server.url}${path}`, method: "POST", userId, body: requestFor(pieces), agent },
      onEvent: ({ event, data }) => {
        if (event === "turn_end") hasEnded = data.includes('"status":"completed"');
        if (event !== "text") return;
        const found = agesIn(data);
        received += found.length;
        if (isMeasuring) for (const age of found) ages.push(age);
      },
    });
    return received === pieces && hasEnded;
  };
  const readMany = (count: number, name: string, pieces: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, nth) => {
        await sleep((OPENING_MS * nth) / count);
        return read(`${name}-${nth}`, pieces).catch(() => false);
      }),
    );

  await readMany(WARM_UP, "warm-up", PER_SECOND);
  await sleep(OPENING_MS);
  const idleBytes = await server.heapBytes();
  lab.progress(`${path}: ${streams} streams of ${PER_SECOND} pieces a second, ${seconds} s`);
  const reading = readMany(streams, "user", PER_SECOND * (seconds + MARGIN_SECONDS));
  await sleep(OPENING_MS + PAUSE_MS);
  const cpuBefore = await server.cpuMs();
  const start = performance.now();
  isMeasuring = true;
  await sleep(seconds * 1_000);
  isMeasuring = false;
  const measuredMs = performance.now() - start;
  const cpuShare = ((await server.cpuMs()) - cpuBefore) / measuredMs;
  const bytesPerStream = ((await server.heapBytes()) - idleBytes) / streams;
  const whole = await reading;
  await sleep(SETTLE_MS);
  const keptBytes = (await server.heapBytes()) - idleBytes;
  server.stop();
  agent.destroy();
  const [p50Ms = 0, p99Ms = 0, longestMs = 0] = [0.5, 0.99, 1].map((q) => quantile(ages, q));
  return {
    ...{
      streams,
      arrived: ages.length / (streams * PER_SECOND * (measuredMs / 1_000)),
      p50Ms,
      p99Ms,
      longestMs,
      cpuShare,
      bytesPerStream,
      keptBytes,
    },
    broken: whole.filter((isWhole) => !isWhole).length,
  };
}
