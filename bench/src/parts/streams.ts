import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { TurnEvent } from "@jaf/server";
import { inParallel, type Lab } from "../lab.ts";
import { duration, integer, ratio } from "../report.ts";
import { now, quantile } from "../statistics.ts";
import { startRedisServer } from "../stores/redis.ts";
import { readStream } from "../streams/read-stream.ts";
import {
  memorySchema,
  type RawEvent,
  readySchema,
  type ServerRequest,
  type ServerSetup,
} from "../streams/server-messages.ts";
import { agesIn } from "../streams/stamp.ts";
import type { Part } from "./part.ts";

const PER_SECOND = 50;
const LAG_TARGET_MS = 250;
/** The time after which timers and idle connections have ended. */
const SETTLE_MS = 8_000;
const INSTANT_PIECES = 500;
const INSTANT_WIDTH = 16;

interface Size {
  readonly streams: number;
  readonly seconds: number;
  /** The number of turns of each contender with the instant model. */
  readonly turns: number;
}

const SIZE: Size = { streams: 500, seconds: 20, turns: 400 };
const QUICK: Size = { streams: 20, seconds: 2, turns: 32 };

async function startServer(lab: Lab, setup: ServerSetup) {
  const child = fork(new URL("../streams/server-process.ts", import.meta.url), [JSON.stringify(setup)], {
    execArgv: [...process.execArgv, "--expose-gc"],
  });
  const ended = once(child, "exit");
  lab.onEnd(async () => {
    child.kill();
    await ended;
  });
  const [ready]: unknown[] = await Promise.race([
    once(child, "message"),
    ended.then(() => {
      throw new Error("The server ended before it listened.");
    }),
  ]);
  return { child, url: readySchema.parse(ready).url };
}

const tell = (child: ChildProcess, request: ServerRequest): void => void child.send(request);

async function memoryOf(child: ChildProcess) {
  tell(child, { type: "memory" });
  const [message]: unknown[] = await once(child, "message");
  return memorySchema.parse(message);
}

const body = JSON.stringify({ message: "Speak.", stream: true });

const eventOf = ({ data }: RawEvent): TurnEvent => JSON.parse(data);

/** Measures the age of each piece at its reader, for many simultaneous streams with a fixed rate of pieces. */
async function measureLag(lab: Lab, redisUrl: string, { streams, seconds }: Size) {
  const pieces = PER_SECOND * seconds;
  const { child, url } = await startServer(lab, { redisUrl, pieces, perSecond: PER_SECOND });
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  lab.onEnd(() => agent.destroy());
  const read = async (userId: string, ages: number[]): Promise<boolean> => {
    let received = 0;
    let status: string | undefined;
    await readStream({
      url: `${url}/chat`,
      method: "POST",
      userId,
      body,
      agent,
      onEvent: (raw) => {
        if (raw.event === "text") {
          const found = agesIn(raw.data);
          received += found.length;
          for (const age of found) ages.push(age);
        } else if (raw.event === "turn_end") {
          const event = eventOf(raw);
          status = event.type === "turn_end" ? event.status : undefined;
        }
      },
    });
    return received === pieces && status === "completed";
  };
  await read("warm-up", []);
  const before = await memoryOf(child);
  lab.progress(`${streams} streams of ${PER_SECOND} pieces a second, ${seconds} s`);
  const ages: number[] = [];
  const whole = await Promise.all(
    Array.from({ length: streams }, async (_, nth) => {
      await sleep((1_000 * nth) / streams);
      return read(`user-${nth}`, ages).catch(() => false);
    }),
  );
  const after = await memoryOf(child);
  await sleep(SETTLE_MS);
  const settled = await memoryOf(child);
  child.disconnect();
  return {
    ages,
    pieces: pieces * streams,
    broken: whole.filter((isWhole) => !isWhole).length,
    grownMb: (settled.heapBytes - before.heapBytes) / 2 ** 20,
    cpuShare: (after.cpuMs - before.cpuMs) / (seconds * 1_000),
  };
}

/** Compares turns of an instant model with a Hono route that sends the same events, in milliseconds per reply. */
async function measureInstant(lab: Lab, redisUrl: string, { turns }: Size) {
  const { child, url } = await startServer(lab, { redisUrl, pieces: INSTANT_PIECES });
  const agent = new Agent({ keepAlive: true });
  lab.onEnd(() => agent.destroy());
  const recorded: RawEvent[] = [];
  const turn = (userId: string, onEvent: (event: RawEvent) => void = () => {}) =>
    readStream({ url: `${url}/chat`, method: "POST", userId, body, agent, onEvent });
  const raw = () => readStream({ url: `${url}/raw`, method: "GET", userId: "raw", agent, onEvent: () => {} });
  await turn("warm-up", (event) => recorded.push(event));
  tell(child, { type: "record", events: recorded });
  lab.progress(`${turns} replies of ${INSTANT_PIECES} pieces, ${INSTANT_WIDTH} at a time, beside Hono's`);
  const timed = async (once: (nth: number) => Promise<void>, count: number) => {
    const start = now();
    await inParallel(Array(count).keys(), INSTANT_WIDTH, once);
    return (now() - start) / count;
  };
  const [ours, honos]: [number[], number[]] = [[], []];
  const rounds = 8;
  for (let round = -1; round < rounds; round++) {
    const mine = await timed((nth) => turn(`user-${round}-${nth}`), turns / rounds);
    const its = await timed(raw, turns / rounds);
    if (round < 0) continue;
    ours.push(mine);
    honos.push(its);
  }
  child.disconnect();
  return { ours: quantile(ours, 0.5), honos: quantile(honos, 0.5), events: recorded.length };
}

/** Measures streams of turns, which are stored on Redis before they are sent. */
export const streams: Part = async (lab, { quick }) => {
  const size = quick ? QUICK : SIZE;
  const redisUrl = await startRedisServer(lab);
  const lag = await measureLag(lab, redisUrl, size);
  const instant = await measureInstant(lab, redisUrl, size);
  const [p50, p99, longest] = [0.5, 0.99, 1].map((q) => quantile(lag.ages, q)) as [number, number, number];
  const none = { rule: "at most", target: 0, unit: "" } as const;
  return {
    table: {
      columns: ["", "pieces", "p50", "p99", "longest", "of a core"],
      rows: [
        [
          `${size.streams} streams, ${PER_SECOND} pieces a second each`,
          integer(lag.pieces),
          ...[p50, p99, longest].map((ms) => duration(1_000 * ms)),
          ratio(lag.cpuShare),
        ],
        [
          "a reply at once, beside Hono's own stream",
          integer(instant.events),
          `${duration(instant.ours)}, ${duration(instant.honos)}: ${ratio(instant.ours / instant.honos)}`,
          "",
          "",
          "",
        ],
      ],
    },
    checks: [
      { what: "lag of a piece, p99", measured: p99, rule: "at most", target: LAG_TARGET_MS, unit: " ms" },
      { what: "streams that lost a piece", measured: lag.broken, ...none },
      {
        what: "memory kept, of the server's heap (MB)",
        measured: lag.grownMb,
        rule: "at most",
        target: 20,
        unit: "",
      },
    ],
  };
};
