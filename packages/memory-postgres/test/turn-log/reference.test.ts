import pg from "pg";
import { afterAll, inject, it } from "vitest";
import { createPostgresTurnLog } from "../../src/index.ts";
import { dropSchemas, freshSchema } from "../support/stores.ts";
import { expectAnswersAsInMemory } from "../support/turn-log-reference.ts";

const schema = freshSchema();
const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 4 });
afterAll(async () => {
  await pool.end();
  await dropSchemas([schema]);
});

it.each([1, 2, 3])("answers random calls like the log in memory, with seed %i", async (seed) => {
  const log = await createPostgresTurnLog({ schema, tableName: `seed_${seed}` }, pool);
  await expectAnswersAsInMemory(log, seed);
});
