import pg from "pg";
import { inject, it, onTestFinished } from "vitest";
import { workThroughDeaths } from "../support/queues/turns.ts";

async function query(text: string): Promise<void> {
  const client = new pg.Client(inject("pgUrl"));
  await client.connect();
  await client.query(text);
  await client.end();
}

it("the recipe for DBOS: 20 turns end once, although one worker is killed and another hands its turns over", async () => {
  const database = `dbos_${crypto.randomUUID().replaceAll("-", "")}`;
  await query(`CREATE DATABASE ${database}`);
  onTestFinished(() => query(`DROP DATABASE ${database} WITH (FORCE)`));
  const url = new URL(inject("pgUrl"));
  url.pathname = `/${database}`;
  await workThroughDeaths("dbos.ts", "createDbosQueue", url.href);
});
