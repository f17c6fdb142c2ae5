import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { MemoryProvider, Message, Result } from "@jaf/memory";
import { searchMessages } from "@jaf/user-memory";
import type { Lab } from "../lab.ts";
import { duration, integer } from "../report/format.ts";
import type { Check } from "../results.ts";
import { now, quantile } from "../statistics.ts";
import type { Backend } from "../stores/backend.ts";
import { startBackend } from "../stores/start-backend.ts";
import { unwrap } from "../stores/store.ts";
import {
  conversationOf,
  numberIn,
  userName,
  type WriterReport,
  type WriterSetup,
  writerReportSchema,
} from "./load-messages.ts";
import type { Part } from "./part.ts";

const WRITERS = 8;
const NAMESPACE = "jaf";
/** One user in so many is erased again and again. */
const ERASED = 10;
/** So many of the users do something at a time, and wait between one thing and the next. */
const READERS = 8;
const PAUSE_MS = 20;
const ERASURE_PAUSE_MS = 250;

interface Size {
  readonly users: number;
  /** Of each user, of two messages each. */
  readonly turns: number;
}

const SIZE: Size = { users: 1_000, turns: 500 };
const QUICK: Size = { users: 80, turns: 20 };

async function write(lab: Lab, setup: WriterSetup): Promise<WriterReport> {
  const child = fork(new URL("load-writer.ts", import.meta.url), [JSON.stringify(setup)]);
  const ended = once(child, "exit");
  lab.onEnd(async () => {
    child.kill();
    await ended;
  });
  const [message]: unknown[] = await Promise.race([
    once(child, "message"),
    ended.then(() => {
      throw new Error("A process that writes ended before it was done.");
    }),
  ]);
  return writerReportSchema.parse(message);
}

type Operation = "append" | "list" | "search" | "erase";

interface Timed {
  readonly micros: number[];
  failures: number;
}

type Timings = Record<Operation, Timed>;

async function timed(into: Timed, call: () => Promise<Result<unknown>>): Promise<void> {
  const start = now();
  const { success } = await call();
  into.micros.push(now() - start);
  if (!success) into.failures += 1;
}

interface Crowd {
  readonly provider: MemoryProvider;
  readonly size: Size;
  readonly timings: Timings;
  readonly isOver: () => boolean;
}

const anyOf = (count: number): number => Math.floor(Math.random() * count);

async function readOn({ provider, size, timings, isOver }: Crowd): Promise<void> {
  while (!isOver()) {
    const userId = userName(anyOf(size.users));
    await timed(timings.list, () => provider.findConversations({ userId, limit: 20 }));
    await sleep(PAUSE_MS);
    await timed(timings.search, () => searchMessages(provider, userId, "warehouse order within days"));
    await sleep(PAUSE_MS);
  }
}

async function eraseOn({ provider, size, timings, isOver }: Crowd): Promise<void> {
  while (!isOver()) {
    const user = ERASED * anyOf(size.users / ERASED);
    await timed(timings.erase, () => provider.clearUserConversations(userName(user)));
    await sleep(ERASURE_PAUSE_MS);
  }
}

/**
 * How many of a user's messages are missing, doubled or in another place. Of one who was erased, all from the first that
 * is there must be.
 */
function wrongIn(user: number, messages: readonly Message[], turns: number): number {
  const numbers = messages.map(({ content }) => numberIn(user, String(content)));
  const first = user % ERASED === 0 ? (numbers[0] ?? 2 * turns) : 0;
  const expected = Array.from({ length: 2 * turns - first }, (_, nth) => first + nth);
  const wrong = expected.filter((nth, at) => numbers[at] !== nth).length;
  // An append is stored whole: nothing begins in the middle of one.
  return wrong + Math.max(0, numbers.length - expected.length) + (first % 2);
}

/** How many of all messages are wrong, and how many are left of the users that are erased at the end. */
async function audit(provider: MemoryProvider, { users, turns }: Size) {
  let [wrong, left] = [0, 0];
  for (let user = 0; user < users; user++) {
    const { messages = [] } = unwrap(await provider.getConversation(conversationOf(user))) ?? {};
    wrong += wrongIn(user, messages, turns);
    if (user % ERASED !== 0) continue;
    const userId = userName(user);
    unwrap(await provider.clearUserConversations(userId));
    left += unwrap(await provider.findConversations({ userId })).length;
    if (unwrap(await provider.getConversation(conversationOf(user))) !== null) left += 1;
  }
  return { wrong, left };
}

interface Row {
  readonly backend: string;
  readonly timings: Timings;
  readonly seconds: number;
  readonly wrong: number;
  readonly left: number;
}

const untimed = (): Timed => ({ micros: [], failures: 0 });

async function measureStore(lab: Lab, { backend, size }: { backend: Backend; size: Size }): Promise<Row> {
  const { kind, url, name } = backend;
  const provider = await backend.openProvider(NAMESPACE);
  const timings: Timings = { append: untimed(), list: untimed(), search: untimed(), erase: untimed() };
  const users = size.users / WRITERS;
  lab.progress(`${name}: ${integer(2 * size.users * size.turns)} messages by ${WRITERS} processes`);
  const start = performance.now();
  let over = false;
  const crowd: Crowd = { provider, size, timings, isOver: () => over };
  const others = [...Array.from({ length: READERS }, () => readOn(crowd)), eraseOn(crowd)];
  const setupOf = (writer: number): WriterSetup => ({
    address: { kind, url, namespace: NAMESPACE },
    firstUser: writer * users,
    users,
    turns: size.turns,
  });
  const written = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(lab, setupOf(writer))));
  const [reports, seconds] = await Promise.all([
    written.finally(() => {
      over = true;
    }),
    written.then(() => (performance.now() - start) / 1_000),
    ...others,
  ]);
  for (const { micros, failures } of reports) {
    for (const each of micros) timings.append.micros.push(each);
    timings.append.failures += failures;
  }
  lab.progress(`${name}: reading everything again`);
  return { backend: name, timings, seconds, ...(await audit(provider, size)) };
}

const operations = ["append", "list", "search", "erase"] as const satisfies readonly Operation[];

const rowsOf = ({ backend, timings, seconds }: Row): string[][] =>
  operations.map((operation) => {
    const { micros, failures } = timings[operation];
    return [
      backend,
      operation,
      integer(micros.length),
      integer(micros.length / seconds),
      ...[0.5, 0.99, 1].map((q) => duration(quantile(micros, q))),
      integer(failures),
    ];
  });

const checksOf = ({ backend, timings, wrong, left }: Row): Check[] => {
  const none = { rule: "at most", target: 0, unit: "" } as const;
  const failures = operations.reduce((sum, operation) => sum + timings[operation].failures, 0);
  return [
    { what: `${backend}: messages lost, doubled or out of place`, measured: wrong, ...none },
    { what: `${backend}: conversations that an erasure left`, measured: left, ...none },
    { what: `${backend}: calls that failed`, measured: failures, ...none },
  ];
};

/** Eight processes that write, while a thousand users list, search and erase; then everything is read again. */
export const load: Part = async (lab, { stores, quick }) => {
  const measured: Row[] = [];
  for (const kind of stores) {
    measured.push(
      await measureStore(lab, { backend: await startBackend(lab, kind), size: quick ? QUICK : SIZE }),
    );
  }
  return {
    part: "load",
    table: {
      columns: ["", "call", "calls", "a second", "p50", "p99", "longest", "failed"],
      rows: measured.flatMap(rowsOf),
    },
    checks: measured.flatMap(checksOf),
    plots: [],
  };
};
