import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageText } from "@jaf/memory/history";
import pg from "pg";
import { expect, inject, onTestFinished } from "vitest";
import { until } from "../../../../test/polling.ts";
import { spokenOn } from "../server/agent.ts";
import { type ServerProcess, startBundledServer } from "../server/server-process.ts";
import { openQueueProcess, type QueueProcessOptions } from "./queue-worker.ts";
import { openRecipe } from "./recipe.ts";

const TURNS = 20;

interface Noted {
  readonly topic: string;
  readonly idempotencyKey: string;
}

/**
 * Starts 20 turns on the queue of a recipe. Kills a worker in the middle, lets its successor hand its turns over, and
 * has a third worker end them. Shows that each turn was completed, and its messages are complete and stored once.
 */
export async function workThroughDeaths(recipeFile: string, name: string, engineUrl: string): Promise<void> {
  const recipe = await openRecipe(recipeFile, name);
  onTestFinished(recipe.remove);
  const folder = await mkdtemp(join(tmpdir(), "jaf-queue-"));
  const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const options: QueueProcessOptions = {
    ...{ pgUrl: inject("pgUrl"), schema, ledger: join(folder, "ledger.jsonl"), engineUrl },
  };
  await writeFile(options.ledger, "");
  const started: ServerProcess[] = [];
  const start = async () => {
    const worker = await startBundledServer(recipe.worker, options);
    started.push(worker);
    return worker;
  };
  const queue = await recipe.createQueue(engineUrl);
  const web = await openQueueProcess(options, { queue, concurrency: 0 });
  onTestFinished(async () => {
    await Promise.all(started.map(({ kill }) => kill()));
    await web.close();
    await rm(folder, { recursive: true });
    await dropSchema(schema);
  });

  let ended = 0;
  const turns = await Promise.all(
    Array.from({ length: TURNS }, async (_, index) => {
      const topic = `topic${index}-`;
      const turn = await web.service.start({
        identity: { userId: `user-${index % 3}` },
        target: { newId: `conversation-${index}` },
        ...{ agentName: "writer", input: topic },
      });
      if (!turn.started) throw new Error(turn.refusal.message);
      void turn.ended.then(() => {
        ended += 1;
      });
      return { ...turn, topic };
    }),
  );
  const noted = (): readonly Noted[] =>
    readFileSync(options.ledger, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  const untilNoted = (count: number) => until(`${count} tool calls`, async () => noted().length >= count);

  const first = await start();
  await untilNoted(3);
  await first.kill();
  expect(ended).toBeLessThan(TURNS - 5);
  const second = await start();
  await untilNoted(noted().length + 3);
  await second.stop();
  expect(ended).toBeLessThan(TURNS);
  await start();

  for (const turn of turns) {
    expect(await turn.ended).toMatchObject({ status: "completed" });
    const messages = (await web.readMessages(turn.conversationId)) as readonly Parameters<
      typeof messageText
    >[0][];
    const [before, after] = spokenOn(turn.topic);
    expect(messages.map((message) => [message.role, messageText(message)])).toEqual([
      ...[
        ["user", turn.topic],
        ["assistant", before],
        ["tool", `noted ${turn.topic}`],
      ],
      ["assistant", after],
    ]);
  }
  const keys = new Map(noted().map(({ topic, idempotencyKey }) => [topic, idempotencyKey]));
  expect(keys.size).toBe(TURNS);
  // A tool that was cut off runs again, but only as the same call.
  for (const { topic, idempotencyKey } of noted()) expect(idempotencyKey).toBe(keys.get(topic));
}

async function dropSchema(schema: string): Promise<void> {
  const client = new pg.Client(inject("pgUrl"));
  await client.connect();
  await client.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await client.end();
}
