import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { until } from "../../../test/polling.ts";
import { bundleProcess } from "../../../test/process-bundle.ts";
import { type ServerProcess, startBundledServer } from "../support/server/server-process.ts";
import {
  beginTask,
  flawsOf,
  notedIn,
  playToEnd,
  type Task,
  tasksFor,
} from "../support/two-releases/driver.ts";
import { bundleForPreviousRelease } from "../support/two-releases/previous-release.ts";
import type { ReleaseChildOptions } from "../support/two-releases/release-child.ts";

const PROGRAM = new URL("../support/two-releases/release-child.ts", import.meta.url);
const TURNS = 200;
const KILLS = 6;
// All kills are within three leases, so no turn is taken over often enough without progress to end as lost.
const KILL_EVERY_MS = 1_500;

type Release = ReleaseChildOptions["release"];

let programs: Readonly<Record<Release, string>>;

beforeAll(async () => {
  programs = { previous: await bundleForPreviousRelease(PROGRAM), this: await bundleProcess(PROGRAM) };
}, 300_000);

const tasks = tasksFor(TURNS);

/** Opens a place for one test in a store, and returns a function that starts servers on it. */
async function openPlace(type: ReleaseChildOptions["store"]["type"]) {
  const folder = await mkdtemp(join(tmpdir(), "jaf-releases-"));
  const ledger = join(folder, "ledger.jsonl");
  await writeFile(ledger, "");
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const store: ReleaseChildOptions["store"] =
    type === "redis"
      ? { type, url: inject("redisUrl"), keyPrefix: `${name}:` }
      : { type, url: inject("pgUrl"), schema: name };
  const started: ServerProcess[] = [];
  onTestFinished(async () => {
    await Promise.all(started.map(({ kill }) => kill()));
    await rm(folder, { recursive: true });
    if (type === "postgres") await dropSchema(name);
  });
  const start = async (release: Release, hangs = false): Promise<ServerProcess> => {
    const options: ReleaseChildOptions = { store, release, ledger, hangs };
    const server = await startBundledServer(programs[release], options);
    started.push(server);
    return server;
  };
  return { ledger, start };
}

async function dropSchema(schema: string): Promise<void> {
  const client = new pg.Client(inject("pgUrl"));
  await client.connect();
  await client.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await client.end();
}

const pairOf = (start: () => Promise<ServerProcess>) => Promise.all([start(), start()]);

const anyOf = (servers: readonly ServerProcess[]): string => {
  const { url } = servers[Math.floor(Math.random() * servers.length)] ?? {};
  if (url === undefined) throw new Error("No server runs.");
  return url;
};

const stateOf = (task: Task) => task.split(" ")[0];

/** Prints the figures of a test as a row of a table. */
function print(title: string, { ledger, beganAt }: { readonly ledger: string; readonly beganAt: number }) {
  const runs = notedIn(ledger).filter(({ what }) => what !== "model");
  const count = (event: "begin" | "end", of: readonly Release[] = ["previous", "this"]) =>
    runs.filter((run) => run.event === event && (of as readonly string[]).includes(run.release)).length;
  const figures = [
    `${TURNS} turns`,
    `${count("begin")} runs of tools, ${count("begin") - count("end")} of them cut off`,
    `ended in the previous release ${count("end", ["previous"])}, in this one ${count("end", ["this"])}`,
    `${((performance.now() - beganAt) / 1_000).toFixed(0)} s`,
  ];
  process.stdout.write(`| ${[title, ...figures].join(" | ")} |\n`);
}

/** Lets one release begin the turns, kills it in mid-turn, and lets the other release finish them. */
async function handOver(type: "redis" | "postgres", first: Release, second: Release): Promise<void> {
  const beganAt = performance.now();
  const { ledger, start } = await openPlace(type);
  const beginners = await pairOf(() => start(first, true));
  let isOver = false;
  const begun = tasks.map((task, n) => beginTask(task, beginners[n % 2]?.url ?? "", () => isOver));
  await until("all turns are in their states", async () => {
    const at = notedIn(ledger).filter(({ what }) => what === "model" || what === "hold");
    const hanging = new Set(at.map(({ task }) => task));
    return tasks.every((task) => stateOf(task) === "approval" || hanging.has(task));
  });
  await Promise.all(begun.filter((_, n) => stateOf(tasks[n] ?? "model 0") === "approval"));
  isOver = true;
  await Promise.all(beginners.map(({ kill }) => kill()));
  await Promise.all(begun);
  const finishers = await pairOf(() => start(second));
  await playToEnd(tasks, { urlOf: () => anyOf(finishers) });
  print(`${type}: ${first} release begins, ${second} release finishes`, { ledger, beganAt });
  expect(await flawsOf(tasks, { url: finishers[0].url, ledger })).toEqual([]);
  const cutOff = notedIn(ledger).filter(({ what, event }) => what === "hold" && event === "begin");
  expect(cutOff.length).toBeGreaterThanOrEqual(2 * tasks.filter((task) => stateOf(task) === "tool").length);
}

/** Lets both releases play the turns at once, while servers of both are killed and started again. */
async function runBoth(type: "redis" | "postgres"): Promise<void> {
  const beganAt = performance.now();
  const { ledger, start } = await openPlace(type);
  const releases: readonly Release[] = ["previous", "this", "previous", "this"];
  const servers: (ServerProcess | undefined)[] = [];
  for (const release of releases) servers.push(await start(release));
  const living = () => servers.filter((server) => server !== undefined);
  const played = playToEnd(tasks, { urlOf: () => anyOf(living()) });
  const restarts: Promise<void>[] = [];
  const restart = async (at: number): Promise<void> => {
    const victim = servers[at];
    servers[at] = undefined;
    await victim?.kill();
    servers[at] = await start(releases[at] ?? "this");
  };
  for (let n = 0; n < KILLS; n++) {
    await sleep(KILL_EVERY_MS);
    restarts.push(restart(n % servers.length));
  }
  await Promise.all([played, ...restarts]);
  print(`${type}: both releases at once, ${KILLS} kills`, { ledger, beganAt });
  expect(await flawsOf(tasks, { url: anyOf(living()), ledger })).toEqual([]);
}

describe.each(["redis", "postgres"] as const)("On %s, turns that a release has begun", (type) => {
  it("are finished by the next release: in a model call, in a tool, and waiting for an approval", () =>
    handOver(type, "previous", "this"));

  it("are finished by the release before", () => handOver(type, "this", "previous"));

  it("are finished while both run and servers of both are killed", () => runBoth(type));
});
