import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { MemoryProvider } from "@jaf/memory";
import { inParallel, type Lab } from "../lab.ts";
import { duration } from "../report/format.ts";
import type { Check } from "../results.ts";
import { median } from "../statistics.ts";
import type { Backend } from "../stores/backend.ts";
import type { Address } from "../stores/connect.ts";
import { startBackend } from "../stores/start-backend.ts";
import { unwrap } from "../stores/store.ts";
import { messagesOf } from "../turns.ts";
import { type BystanderReport, bystanderReportSchema } from "./bystander-messages.ts";
import type { Part } from "./part.ts";

const MESSAGES = 10;
const WRITERS = 32;
const TARGET_MS = 10;
const NAMESPACE = "jaf";

interface Bystander {
  readonly start: () => void;
  /** The longest waits since `start`. */
  readonly report: () => Promise<BystanderReport>;
}

async function startBystander(lab: Lab, address: Address): Promise<Bystander> {
  const child = fork(new URL("bystander.ts", import.meta.url), [JSON.stringify(address)]);
  const ended = once(child, "exit");
  lab.onEnd(async () => {
    child.kill();
    await ended;
  });
  const next = async (): Promise<BystanderReport> => {
    const failed = ended.then(() => {
      throw new Error("The process that works beside the clearing ended.");
    });
    const [message]: unknown[] = await Promise.race([once(child, "message"), failed]);
    return bystanderReportSchema.parse(message);
  };
  await next();
  return {
    start: () => void child.send("start"),
    report: () => {
      child.send("report");
      return next();
    },
  };
}

async function fill(provider: MemoryProvider, user: string, conversations: number): Promise<void> {
  const messages = messagesOf(MESSAGES);
  await inParallel(Array(conversations).keys(), WRITERS, async (nth) => {
    unwrap(
      await provider.storeMessages(`${user}-${nth}`, messages, { userId: user, traceId: `${user}-${nth}` }),
    );
  });
}

interface Clearing {
  readonly tookMs: number;
  /** The longest that one command or statement of the clearing took. */
  readonly longestStepMs: number;
  readonly during: BystanderReport;
  readonly without: BystanderReport;
}

interface Bench {
  readonly backend: Backend;
  readonly provider: MemoryProvider;
  readonly bystander: Bystander;
}

async function clearOnce({ backend, provider, bystander }: Bench, user: string, conversations: number) {
  await fill(provider, user, conversations);
  await backend.tidy();
  const longestStepMs = await backend.watchSteps();
  bystander.start();
  const start = performance.now();
  const cleared = unwrap(await provider.clearUserConversations(user));
  const tookMs = performance.now() - start;
  const during = await bystander.report();
  if (cleared !== conversations)
    throw new Error(`${cleared} conversations cleared instead of ${conversations}`);
  const steps = await longestStepMs();
  bystander.start();
  await sleep(tookMs);
  return { tookMs, longestStepMs: steps, during, without: await bystander.report() } satisfies Clearing;
}

async function measureStore(lab: Lab, backend: Backend, { users, conversations }: Sizes) {
  const provider = await backend.openProvider(NAMESPACE);
  const { kind, url } = backend;
  const bystander = await startBystander(lab, { kind, url, namespace: NAMESPACE });
  const clearings: Clearing[] = [];
  for (let user = 0; user < users; user++) {
    lab.progress(`${backend.name}: clearing ${user + 1} of ${users}`);
    clearings.push(await clearOnce({ backend, provider, bystander }, `user-${user}`, conversations));
  }
  const longest = (of: (clearing: Clearing) => number): number => Math.max(...clearings.map(of));
  return {
    name: backend.name,
    tookMs: median(clearings.map(({ tookMs }) => tookMs)),
    longestStepMs: longest(({ longestStepMs }) => longestStepMs),
    pingMs: longest(({ during }) => during.longestPingMs),
    appendMs: longest(({ during }) => during.longestAppendMs),
    pingWithoutMs: longest(({ without }) => without.longestPingMs),
    appendWithoutMs: longest(({ without }) => without.longestAppendMs),
  };
}

interface Sizes {
  readonly users: number;
  readonly conversations: number;
}

const columns = ["", "clearing took", "longest step", "others' longest ping", "and append"].concat([
  "without it, ping",
  "and append",
]);

/** A user with many conversations is cleared while another process goes on working. */
export const clear: Part = async (lab, { stores, quick }) => {
  const sizes = quick ? { users: 1, conversations: 50 } : { users: 5, conversations: 1_000 };
  const measured: Awaited<ReturnType<typeof measureStore>>[] = [];
  for (const kind of stores) measured.push(await measureStore(lab, await startBackend(lab, kind), sizes));
  const checks: Check[] = measured.map(({ name, longestStepMs }) => ({
    what: `${name}: the longest step of clearing a user`,
    measured: longestStepMs,
    rule: "at most",
    target: TARGET_MS,
    unit: " ms",
  }));
  return {
    part: "clear",
    table: {
      columns,
      rows: measured.map(({ name, ...times }) => [
        name,
        ...Object.values(times).map((milliseconds) => duration(milliseconds * 1_000)),
      ]),
    },
    checks,
    plots: [],
  };
};
