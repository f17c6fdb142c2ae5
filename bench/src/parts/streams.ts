import { writeFile } from "node:fs/promises";
import { type Line, plotLines } from "../plot.ts";
import { duration, integer, ratio } from "../report.ts";
import type { Check } from "../results.ts";
import { startRedisServer } from "../stores/redis.ts";
import { measureInstant } from "../streams/measure-instant.ts";
import { type Lag, measureLag, PER_SECOND } from "../streams/measure-lag.ts";
import type { Part } from "./part.ts";

interface Size {
  readonly streams: readonly number[];
  readonly seconds: number;
  /** The number of turns of each contender with the instant model. */
  readonly turns: number;
}

const SIZE: Size = { streams: [100, 250, 500], seconds: 10, turns: 400 };
const QUICK: Size = { streams: [20], seconds: 1, turns: 32 };

const OURS = "@jaf/server";
const XADD = "XADD per piece";
const CONTENDERS = [
  { name: OURS, path: "/chat", color: "#2f7ed8" },
  { name: XADD, path: "/xadd", color: "#c0562f" },
  { name: "resumable-stream", path: "/resumable", color: "#4a9a4a" },
] as const;

const PLOT = new URL("../../../docs/images/streams.svg", import.meta.url);
const KILOBYTE = 1_000;

type Named = Lag & { readonly name: string };

const rowOf = ({ name, streams, arrived, p50Ms, p99Ms, longestMs, cpuShare, bytesPerStream }: Named) => [
  name,
  integer(streams),
  `${integer(100 * arrived)} %`,
  ...[p50Ms, p99Ms, longestMs].map((ms) => duration(1_000 * ms)),
  ratio(cpuShare),
  `${integer(bytesPerStream / KILOBYTE)} kB`,
];

const linesOf = (lags: readonly Named[]): Line[] =>
  CONTENDERS.flatMap(({ name, color }) =>
    (["p50", "p99"] as const).map((q) => ({
      ...{ name: `${name}, ${q}`, color, isDashed: q === "p99" },
      points: lags
        .filter((lag) => lag.name === name)
        .map(({ streams, p50Ms, p99Ms }) => ({ x: streams, y: q === "p50" ? p50Ms : p99Ms })),
    })),
  );

/** Compares the largest number of streams with `XADD` per piece. */
function checksOf(lags: readonly Named[], largest: number): Check[] {
  const of = (name: string) => lags.find((lag) => lag.name === name && lag.streams === largest);
  const [ours, xadd] = [of(OURS), of(XADD)];
  if (ours === undefined || xadd === undefined) throw new Error("A contender wasn't measured.");
  const atMost = { rule: "at most", unit: "" } as const;
  const besideXadd = { rule: "at most", target: 1.25, unit: "×" } as const;
  const what = `${largest} streams`;
  return [
    { what: `${what}: p50 beside ${XADD}`, measured: ours.p50Ms / xadd.p50Ms, ...besideXadd },
    { what: `${what}: p99 beside ${XADD}`, measured: ours.p99Ms / xadd.p99Ms, ...besideXadd },
    { what: `${what}: kB per stream`, measured: ours.bytesPerStream / KILOBYTE, target: 150, ...atMost },
    { what: "streams that lost a piece", measured: ours.broken, target: 0, ...atMost },
    { what: "memory kept after the streams (MB)", measured: ours.keptBytes / 2 ** 20, target: 20, ...atMost },
  ];
}

/** Measures streams of turns, which are stored on Redis before they are sent, beside two other ways to stream. */
export const streams: Part = async (lab, { quick }) => {
  const size = quick ? QUICK : SIZE;
  const redisUrl = await startRedisServer(lab);
  const lags: Named[] = [];
  for (const streams of size.streams) {
    for (const { name, path } of CONTENDERS) {
      const { seconds } = size;
      lags.push({ name, ...(await measureLag(lab, { redisUrl, path, streams, seconds })) });
    }
  }
  const instant = await measureInstant(lab, redisUrl, size.turns);
  if (!quick) {
    const plot = {
      ...{ title: "Age of a piece by the number of streams", xTitle: "streams", yUnit: "ms" },
      ...{ xTicks: size.streams, lines: linesOf(lags) },
    };
    await writeFile(PLOT, plotLines(plot));
  }
  return {
    table: {
      columns: [
        `${PER_SECOND} pieces a second`,
        "streams",
        "arrived",
        "p50",
        "p99",
        "longest",
        "of a core",
        "per stream",
      ],
      rows: [
        ...lags.map(rowOf),
        [
          `a reply of ${instant.events} events at once, beside Hono's own stream`,
          ...["", ""],
          `${duration(instant.ours)}, ${duration(instant.honos)}: ${ratio(instant.ours / instant.honos)}`,
          ...["", "", "", ""],
        ],
      ],
    },
    checks: checksOf(lags, Math.max(...size.streams)),
  };
};
