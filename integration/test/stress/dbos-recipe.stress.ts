import pg from "pg";
import { expect, inject, it, onTestFinished } from "vitest";
import { openRecipe } from "../support/queues/recipe.ts";
import { workThroughDeaths } from "../support/queues/turns.ts";

async function query(text: string): Promise<void> {
  const client = new pg.Client(inject("pgUrl"));
  await client.connect();
  await client.query(text);
  await client.end();
}

async function createDatabase(): Promise<string> {
  const database = `dbos_${crypto.randomUUID().replaceAll("-", "")}`;
  await query(`CREATE DATABASE ${database}`);
  onTestFinished(() => query(`DROP DATABASE ${database} WITH (FORCE)`));
  const url = new URL(inject("pgUrl"));
  url.pathname = `/${database}`;
  return url.href;
}

it("the recipe for DBOS: 20 turns end once, although one worker is killed and another hands its turns over", () =>
  createDatabase().then((url) => workThroughDeaths("dbos.ts", "createDbosQueue", url)));

it("the recipe for DBOS keeps the order and the time of pointers, and delivers each once", async () => {
  const recipe = await openRecipe("dbos.ts", "createDbosQueue");
  onTestFinished(recipe.remove);
  const queue = await recipe.createQueue(await createDatabase());
  const pointerOf = (turnId: string) => ({ conversationId: "'{}*:%\u{1F600}".repeat(20), turnId });
  const at = new Date(Date.now() + 3_000);
  for (const [turnId, options] of [
    ["later", { at }],
    ["usual", {}],
    ["usual", {}],
    ["urgent", { priority: 1_000 }],
    ["last", { priority: -1_000 }],
  ] as const)
    expect(await queue.submit(pointerOf(turnId), options)).toMatchObject({ success: true });
  const delivered: string[] = [];
  const errors: unknown[] = [];
  const worker = queue.work({
    concurrency: 1,
    onError: (error) => errors.push(error),
    handle: async ({ turnId }) => {
      delivered.push(turnId);
      if (turnId === "later") expect(Date.now()).toBeGreaterThanOrEqual(at.getTime());
    },
  });
  await expect.poll(() => delivered).toContain("later");
  await expect.poll(() => delivered).toContain("last");
  await worker.close();
  expect(delivered.filter((turnId) => turnId !== "later")).toEqual(["urgent", "usual", "last"]);
  expect(errors).toEqual([]);
  expect(await queue.close()).toMatchObject({ success: true });
});
