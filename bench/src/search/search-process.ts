import { createPostgresProvider } from "@jaf/memory-postgres";
import { createPostgresMessageIndex } from "@jaf/memory-postgres/user-memory";
import { createMessageSearch } from "@jaf/user-memory";
import pg from "pg";
import * as z from "zod";

/**
 * Makes searches in a new process. Sends the time of the first one, that of its repetition, the memory of the process, and
 * what each search found.
 */

const setupSchema = z.object({
  url: z.string(),
  userId: z.string(),
  queries: z.array(z.string()).min(1),
  /** Whether the index is stored in Postgres, and not made by this process. */
  stored: z.boolean(),
});
const { url, userId, queries, stored } = setupSchema.parse(JSON.parse(process.argv[2] ?? "{}"));

const before = process.memoryUsage.rss();
const opened = performance.now();
const cpuBefore = (({ user, system }) => (user + system) / 1_000)(process.cpuUsage());
const pool = new pg.Pool({ connectionString: url, max: 4 });
const provider = await createPostgresProvider({}, pool);
const search = stored
  ? createMessageSearch(provider, { index: await createPostgresMessageIndex({}, pool) })
  : createMessageSearch(provider, { maxMessagesPerUser: 1_000_000, maxBytesPerUser: 1_000_000_000 });

async function placesOf(query: string): Promise<readonly string[]> {
  const found = await search.search(userId, query);
  if (!found.success) throw new Error(found.error.message);
  return found.data.map(({ conversationId, position }) => `${position}:${conversationId}`);
}

const [query = "", ...others] = queries;
const start = performance.now();
const found = [await placesOf(query)];
const end = performance.now();
const grown = process.memoryUsage.rss() - before;
const { user, system } = process.cpuUsage();
const repeated = performance.now();
await placesOf(query);
const again = performance.now() - repeated;
for (const other of others) found.push(await placesOf(other));
process.send?.({
  open: start - opened,
  first: end - start,
  again,
  grown,
  rss: process.memoryUsage.rss(),
  cpu: (user + system) / 1_000 - cpuBefore,
  found,
});
await pool.end();
