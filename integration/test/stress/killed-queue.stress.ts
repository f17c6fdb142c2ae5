import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { bundleProcess } from "../../../test/process-bundle.ts";
import type { QueueChildOptions } from "../support/killed-queue/queue-child.ts";
import { type ServerProcess, startBundledServer } from "../support/server/server-process.ts";
import { flawsOf, notedIn, playToEnd, type Task, tasksFor } from "../support/two-releases/driver.ts";

const isBounded = process.env["CI"] !== undefined;
const TURNS = isBounded ? 80 : 200;
const KILLS = isBounded ? 5 : 8;
// All kills are within three leases, so no turn is taken over often enough without progress to end as lost.
const KILL_EVERY_MS = 1_500;

type Queue = QueueChildOptions["queue"];
type Role = Pick<QueueChildOptions, "release" | "concurrency">;

let program: string;

beforeAll(async () => {
  program = await bundleProcess(new URL("../support/killed-queue/queue-child.ts", import.meta.url));
}, 120_000);

const tasks = tasksFor(TURNS);
/** Each fourth task is for the agent that only the next version of the application has. */
const agentOf = (task: Task): string => (Number(task.split(" ")[1]) % 4 === 3 ? "reviewer" : "worker");

async function openPlace(queue: Queue) {
  const folder = await mkdtemp(join(tmpdir(), "jaf-queue-"));
  const ledger = join(folder, "ledger.jsonl");
  await writeFile(ledger, "");
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const url = inject(queue === "BullMQ" ? "redisUrl" : "pgUrl");
  const started: ServerProcess[] = [];
  onTestFinished(async () => {
    await Promise.all(started.map(({ kill }) => kill()));
    await rm(folder, { recursive: true });
    if (queue === "pg-boss") await dropSchemas([name, `${name}_queue`]);
  });
  const start = async (role: Role): Promise<ServerProcess> => {
    const options: QueueChildOptions = { queue, url, name, ledger, hangs: false, ...role };
    const server = await startBundledServer(program, options);
    started.push(server);
    return server;
  };
  return { ledger, start };
}

async function dropSchemas(schemas: readonly string[]): Promise<void> {
  const client = new pg.Client(inject("pgUrl"));
  await client.connect();
  await client.query("SET client_min_messages = warning");
  for (const schema of schemas) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await client.end();
}

/**
 * Plays all tasks while the processes of `mortal` are killed and started again, one after the other. `web`: takes all
 * requests and is never killed. Without it, the mortal processes take them.
 */
async function playWithKills(queue: Queue, { web, mortal }: { web?: Role; mortal: readonly Role[] }) {
  const beganAt = performance.now();
  const { ledger, start } = await openPlace(queue);
  const entrance = web && (await start(web));
  const living: (ServerProcess | undefined)[] = [];
  for (const role of mortal) living.push(await start(role));
  const urlOf = (): string => {
    const servers = entrance === undefined ? living.filter((server) => server !== undefined) : [entrance];
    const { url } = servers[Math.floor(Math.random() * servers.length)] ?? {};
    if (url === undefined) throw new Error("No server runs.");
    return url;
  };
  const restarts: Promise<void>[] = [];
  const restart = async (at: number): Promise<void> => {
    const victim = living[at];
    living[at] = undefined;
    await victim?.kill();
    living[at] = await start(mortal[at] ?? { release: "next", concurrency: 8 });
  };
  const played = playToEnd(tasks, { urlOf, agentOf });
  for (let n = 0; n < KILLS; n++) {
    await sleep(KILL_EVERY_MS);
    restarts.push(restart(n % mortal.length));
  }
  await Promise.all([played, ...restarts]);
  const runs = notedIn(ledger).filter(({ what }) => what !== "model");
  const count = (event: "begin" | "end") => runs.filter((run) => run.event === event).length;
  const figures = [
    `${queue}, ${web ? "workers" : "servers"}: ${TURNS} turns, ${KILLS} kills`,
    `${count("begin")} runs of tools, ${count("begin") - count("end")} of them cut off`,
    `${((performance.now() - beganAt) / 1_000).toFixed(0)} s`,
  ];
  process.stdout.write(`| ${figures.join(" | ")} |\n`);
  expect(await flawsOf(tasks, { url: urlOf(), ledger })).toEqual([]);
}

describe.each(["BullMQ", "pg-boss"] as const)("On %s, each turn is whole and ends once", (queue) => {
  it("while workers of two versions of the application are killed", () =>
    playWithKills(queue, {
      web: { release: "next", concurrency: 0 },
      mortal: (["old", "next", "old", "next"] as const).map((release) => ({ release, concurrency: 8 })),
    }));

  it("while two servers of two versions are killed", () =>
    playWithKills(queue, {
      mortal: (["old", "next"] as const).map((release) => ({ release, concurrency: 16 })),
    }));
});
