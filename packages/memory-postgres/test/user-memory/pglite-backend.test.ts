import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { describeUserMemoryBackend } from "@jaf/user-memory/testing";
import { pgliteBackends } from "../support/user-memory.ts";

describeUserMemoryBackend(
  "PGlite",
  pgliteBackends(() => PGlite.create()),
);

describeUserMemoryBackend(
  "PGlite, with pgvector",
  pgliteBackends(async () => {
    const pglite = await PGlite.create({ extensions: { vector } });
    await pglite.exec("CREATE EXTENSION vector");
    return pglite;
  }),
);
