import { writeFile } from "node:fs/promises";
import { type CrowdSize, FIRST, measureWaits, type Waits } from "../fairness/crowd.ts";
import { withLab } from "../lab.ts";
import type { StoreKind } from "../options.ts";
import { type Line, plotLines } from "../plot.ts";
import { duration, integer } from "../report.ts";
import type { Check } from "../results.ts";
import type { Part } from "./part.ts";

const SIZE: CrowdSize = { ofFirst: 5_000, others: 100, ofEachOther: 50 };
const QUICK: CrowdSize = { ofFirst: 60, others: 6, ofEachOther: 5 };

const LIMITED = 10;
const UNLIMITED = Number.POSITIVE_INFINITY;

const NAMES = { redis: "Redis and BullMQ", postgres: "Postgres and pg-boss" } as const;
const PLOT = new URL("../../../docs/images/fairness.svg", import.meta.url);
const MEGABYTE = 1_000_000;

interface Measured extends Waits {
  readonly store: StoreKind;
  readonly turnsPerUser: number;
}

/** For each number of a message, the longest wait of the users other than the first, in ms. */
function longestOfOthers({ byUser }: Waits): readonly number[] {
  const others = [...byUser].filter(([user]) => user !== FIRST).map(([, waits]) => waits);
  const most = Math.max(...others.map(({ length }) => length));
  return Array.from({ length: most }, (_, nth) => Math.max(...others.map((waits) => waits[nth] ?? 0)));
}

const rowOf = (measured: Measured): string[] => {
  const { store, turnsPerUser, byUser, seconds, heap } = measured;
  const others = longestOfOthers(measured);
  const ofFirst = byUser.get(FIRST) ?? [];
  return [
    NAMES[store],
    turnsPerUser === UNLIMITED ? "no limit" : String(turnsPerUser),
    ...[others[0] ?? 0, others.at(-1) ?? 0, ofFirst.at(-1) ?? 0].map((ms) => duration(1_000 * ms)),
    integer([...byUser.values()].flat().length / seconds),
    heap.map((bytes) => `${integer(bytes / MEGABYTE)} MB`).join(", "),
  ];
};

const COLORS: Readonly<Record<StoreKind, string>> = { redis: "#c0562f", postgres: "#2f7ed8" };

const linesOf = (all: readonly Measured[]): Line[] =>
  all.map((measured) => ({
    name: `${measured.store}, ${measured.turnsPerUser === UNLIMITED ? "no limit" : "limit 10"}`,
    color: COLORS[measured.store],
    isDashed: measured.turnsPerUser === UNLIMITED,
    points: longestOfOthers(measured).map((ms, nth) => ({ x: nth + 1, y: ms / 1_000 })),
  }));

function checksOf(all: readonly Measured[]): Check[] {
  return all
    .filter(({ turnsPerUser }) => turnsPerUser === LIMITED)
    .flatMap((limited): Check[] => {
      const unlimited = all.find((one) => one.store === limited.store && one.turnsPerUser === UNLIMITED);
      const first = longestOfOthers(limited)[0] ?? Number.NaN;
      const firstWithout = (unlimited && longestOfOthers(unlimited)[0]) ?? Number.NaN;
      const [early, late] = limited.heap;
      return [
        {
          what: `${NAMES[limited.store]}: longest wait for a first message, beside no limit`,
          ...{ measured: first / firstWithout, rule: "at most", target: 0.5, unit: "×" },
        },
        {
          what: `${NAMES[limited.store]}: heap after 9,000 turns beside 1,000`,
          ...{ measured: late / early, rule: "at most", target: 1.2, unit: "×" },
        },
      ];
    });
}

/** Measures how long messages wait for workers if one user has sent half of all before the others. */
export const fairness: Part = async (_, { stores, quick }) => {
  const size = quick ? QUICK : SIZE;
  const all: Measured[] = [];
  for (const store of stores)
    for (const turnsPerUser of [LIMITED, UNLIMITED])
      all.push({
        ...{ store, turnsPerUser },
        ...(await withLab((lab) => measureWaits(lab, store, { size, turnsPerUser }))),
      });
  if (!quick)
    await writeFile(
      PLOT,
      plotLines({
        title: "Longest wait of the other users for the nth of their messages",
        xTitle: "message of each user",
        ...{ xTicks: [1, 10, 20, 30, 40, 50], yUnit: "s", lines: linesOf(all) },
      }),
    );
  return {
    table: {
      columns: [
        `${integer(size.ofFirst + size.others * size.ofEachOther)} messages`,
        "turns per user",
        "longest wait for a first message",
        "for the last",
        "first user's last",
        "turns/s",
        "heap early, late",
      ],
      rows: all.map(rowOf),
    },
    checks: checksOf(all),
  };
};
