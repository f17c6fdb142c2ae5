import pg from "pg";
import { inject, it } from "vitest";
import { checkCrashes } from "../../../../test/media/crash.ts";
import { createPostgresBlobStore, createPostgresProvider } from "../../src/index.ts";
import { dropSchemas, freshSchema } from "../support/stores.ts";

it("a killed writer of media leaves no dangling reference, and no blob permanently", async () => {
  const schema = freshSchema();
  const pool = new pg.Pool({ connectionString: inject("pgUrl"), max: 4 });
  await checkCrashes({
    module: new URL("../support/media-child.ts", import.meta.url),
    args: [inject("pgUrl"), schema],
    store: await createPostgresProvider({ schema }, pool),
    blobs: await createPostgresBlobStore({ schema }, pool),
  });
  await pool.end();
  await dropSchemas([schema]);
}, 120_000);
