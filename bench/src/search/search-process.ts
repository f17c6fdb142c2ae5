import { createPostgresProvider } from "@jaf/memory-postgres";
import { createPostgresMessageIndex } from "@jaf/memory-postgres/user-memory";
import { createMessageSearch } from "@jaf/user-memory";
import pg from "pg";
import * as z from "zod";

/** Makes one search as the first one of a new process, and sends its time, its results and the memory of the process. */

const setupSchema = z.object({
  url: z.string(),
  userId: z.string(),
  query: z.string(),
  /** Whether the index is stored in Postgres, and not made by this process. */
  stored: z.boolean(),
});
const { url, userId, query, stored } = setupSchema.parse(JSON.parse(process.argv[2] ?? "{}"));

const before = process.memoryUsage.rss();
const opened = performance.now();
const pool = new pg.Pool({ connectionString: url, max: 4 });
const provider = await createPostgresProvider({}, pool);
const search = stored
  ? createMessageSearch(provider, { index: await createPostgresMessageIndex({}, pool) })
  : createMessageSearch(provider, { maxMessagesPerUser: 1_000_000, maxBytesPerUser: 1_000_000_000 });

const start = performance.now();
const first = await search.search(userId, query);
const end = performance.now();
const grown = process.memoryUsage.rss() - before;
await search.search(userId, query);
const again = performance.now() - end;
if (!first.success) throw new Error(first.error.message);
process.send?.({
  open: start - opened,
  first: end - start,
  again,
  grown,
  rss: process.memoryUsage.rss(),
  found: first.data.map(({ conversationId, position }) => `${position}:${conversationId}`),
});
await pool.end();
