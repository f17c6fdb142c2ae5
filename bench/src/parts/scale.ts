import type { MemoryProvider } from "@jaf/memory";
import { inParallel, type Lab } from "../lab.ts";
import { duration, integer, ratio } from "../report/format.ts";
import { type Contender, type Measured, measure, type Rounds } from "../statistics.ts";
import type { Backend } from "../stores/backend.ts";
import { startBackend } from "../stores/start-backend.ts";
import { unwrap } from "../stores/store.ts";
import { messagesOf } from "../turns.ts";
import type { Part } from "./part.ts";

const PER_USER = 100;
const PER_TRACE = 4;
const MESSAGES = 10;
const LIMIT = 10;
const WRITERS = 32;
const DAY_MS = 86_400_000;
const TARGET = 1.5;

/** `findConversations` by each of the three, and `getStats` of a user. */
const calls = ["by user", "by trace", "by time", "statistics"] as const;

interface Filled {
  readonly provider: MemoryProvider;
  readonly users: number;
  readonly seconds: number;
}

const traceOf = (user: number, nth: number): string => `trace-${user}-${Math.floor(nth / PER_TRACE)}`;

/** The users in turn, as they come: a user's conversations lie apart. */
async function fill(
  { lab, backend }: { readonly lab: Lab; readonly backend: Backend },
  namespace: string,
  users: number,
): Promise<Filled> {
  const provider = await backend.openProvider(namespace);
  const total = users * PER_USER;
  const messages = messagesOf(MESSAGES);
  const start = performance.now();
  await inParallel(Array(total).keys(), WRITERS, async (at) => {
    const [user, nth] = [at % users, Math.floor(at / users)];
    const metadata = { userId: `user-${user}`, traceId: traceOf(user, nth) };
    unwrap(await provider.storeMessages(`conversation-${user}-${nth}`, messages, metadata));
    if (at % 20_000 === 0) lab.progress(`${backend.name}: ${integer(at)} of ${integer(total)} conversations`);
  });
  return { provider, users, seconds: (performance.now() - start) / 1_000 };
}

function expect(found: number, expected: number): void {
  if (found !== expected) throw new Error(`${found} found instead of ${expected}`);
}

function contendersOf(size: string, { provider, users }: Filled): Contender[] {
  const any = (count: number): number => Math.floor(Math.random() * count);
  const find = async (query: object, expected: number) => {
    const found = await provider.findConversations({ ...query, limit: LIMIT, includeMessages: false });
    expect(unwrap(found).length, expected);
  };
  const work: Record<(typeof calls)[number], () => Promise<void>> = {
    "by user": () => find({ userId: `user-${any(users)}` }, LIMIT),
    "by trace": () => find({ traceId: traceOf(any(users), any(PER_USER)) }, PER_TRACE),
    "by time": () => find({ since: new Date(Date.now() - DAY_MS) }, LIMIT),
    statistics: async () => {
      const stats = unwrap(await provider.getStats(`user-${any(users)}`));
      expect(stats.totalMessages, PER_USER * MESSAGES);
    },
  };
  return calls.map((call) => ({ name: `${size} ${call}`, once: work[call] }));
}

interface Sizes extends Rounds {
  readonly small: number;
  readonly large: number;
}

async function measureStore(lab: Lab, backend: Backend, { small, large, ...rounds }: Sizes) {
  const bench = { lab, backend };
  const fewUsers = await fill(bench, "small", small);
  const manyUsers = await fill(bench, "large", large);
  await backend.tidy();
  lab.progress(`${backend.name}: measuring`);
  const contenders = [...contendersOf("small", fewUsers), ...contendersOf("large", manyUsers)];
  const of = await measure(contenders, rounds);
  const rows = calls.map((call) => ({ call, small: of(`small ${call}`), large: of(`large ${call}`) }));
  return { name: backend.name, rows, seconds: manyUsers.seconds };
}

const growthOf = ({ small, large }: { readonly small: Measured; readonly large: Measured }): number =>
  large.p50 / small.p50;

/** The same calls on a small store and on one with a hundred times as much; a user has as much in both. */
export const scale: Part = async (lab, { stores, quick }) => {
  const sizes = quick
    ? { small: 2, large: 10, warmUp: 5, rounds: 30 }
    : { small: 10, large: 1_000, warmUp: 100, rounds: 1_000 };
  const measured: Awaited<ReturnType<typeof measureStore>>[] = [];
  for (const kind of stores) measured.push(await measureStore(lab, await startBackend(lab, kind), sizes));
  const [few, many] = [sizes.small, sizes.large].map((users) => integer(users * PER_USER));
  return {
    part: "scale",
    table: {
      columns: ["", `${few} conversations p50`, "p99", `${many} conversations p50`, "p99", "ratio"],
      rows: measured.flatMap(({ name, rows, seconds }) => [
        ...rows.map((row) => [
          `${name}, ${row.call}`,
          ...[row.small.p50, row.small.p99, row.large.p50, row.large.p99].map(duration),
          ratio(growthOf(row)),
        ]),
        [`${name}, storing the larger one`, "", "", `${seconds.toFixed(0)} s in all`, "", ""],
      ]),
    },
    checks: measured.flatMap(({ name, rows }) =>
      rows.map((row) => ({
        what: `${name}: ${row.call}, ${many} conversations to ${few}`,
        measured: growthOf(row),
        rule: "at most" as const,
        target: TARGET,
        unit: "×" as const,
      })),
    ),
    plots: [
      {
        kind: "bars",
        file: "scale.svg",
        title: "Finding and counting in a store a hundred times as large",
        y: "p50, ms",
        bars: [`${few} conversations`, `${many} conversations`],
        panels: measured.map(({ name, rows }) => ({
          title: name,
          groups: rows.map(({ call, small, large }) => ({
            name: call,
            values: [small.p50 / 1_000, large.p50 / 1_000],
          })),
        })),
      },
    ],
  };
};
