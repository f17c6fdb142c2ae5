import { fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createPostgresMessageIndex } from "@jaf/memory-postgres/user-memory";
import { createMessageSearch } from "@jaf/user-memory";
import type pg from "pg";
import * as z from "zod";
import { type Lab, withLab } from "../lab.ts";
import { describeMachine, disturbingLoad } from "../machine.ts";
import { commandLine, runProgram } from "../program.ts";
import { duration, integer, renderTable } from "../report.ts";
import { quantile } from "../statistics.ts";
import { openPool, startPostgresServer } from "../stores/postgres.ts";
import { generateConversation, generateQuery } from "./generate.ts";
import { measureRanking } from "./ranking.ts";

const usage = `Usage: pnpm bench:search [--messages N] [--queries N] [--url URL]

  Searches all messages of a user on Postgres, each query in a new process: with the stored index, and with the index
  of the process. Then compares the rankings on the data sets in ../shared/data.

  --messages  the user's messages; default 200000
  --queries   the number of queries, of 2 to 40 words; default 40
  --url       an own database, which is filled if it is empty, and stays as it is; default: a new server
`;

const USER = "user";
const PER_CONVERSATION = 100;
const LENGTHS = [2, 3, 4, 5, 8, 12, 20, 40];

async function fill(pool: pg.Pool, messages: number, lab: Lab): Promise<void> {
  const provider = await createPostgresProvider({}, pool);
  const known = await pool.query("SELECT count(*)::int AS n FROM conversations WHERE user_id = $1", [USER]);
  for (let chat = known.rows[0].n; chat < messages / PER_CONVERSATION; chat++) {
    const stored = await provider.storeMessages(
      `chat-${chat}`,
      generateConversation(chat, PER_CONVERSATION),
      { userId: USER },
    );
    if (!stored.success) throw new Error(stored.error.message);
    if (chat % 500 === 0) lab.progress(`${integer(chat * PER_CONVERSATION)} messages stored`);
  }
}

/** Indexes the messages in steps, and returns a line about it. */
async function index(pool: pg.Pool, lab: Lab): Promise<string> {
  const provider = await createPostgresProvider({}, pool);
  const search = createMessageSearch(provider, { index: await createPostgresMessageIndex({}, pool) });
  const start = performance.now();
  const cpu = process.cpuUsage();
  let messages = 0;
  for (let complete = false; !complete; ) {
    const step = await search.refresh(USER, { maxMessages: 20_000 });
    if (!step.success) throw new Error(step.error.message);
    messages += step.data.read;
    complete = step.data.isComplete;
    lab.progress(`${integer(messages)} messages indexed`);
  }
  const { user, system } = process.cpuUsage(cpu);
  const time = performance.now() - start;
  await pool.query("VACUUM ANALYZE");
  const { rows } =
    await pool.query(`SELECT pg_size_pretty(pg_total_relation_size('conversations_passages')) AS size,
    pg_size_pretty(pg_total_relation_size('conversations_messages')) AS messages`);
  return `Indexing ${integer(messages)} messages: ${duration(1_000 * time)}, ${duration(user + system)} of CPU of this process. The index has ${rows[0].size}, the messages have ${rows[0].messages}.`;
}

const resultSchema = z.object({
  open: z.number(),
  first: z.number(),
  again: z.number(),
  grown: z.number(),
  rss: z.number(),
  /** The CPU time of the process from its start to the end of the first search, in milliseconds. */
  cpu: z.number(),
  found: z.array(z.array(z.string())),
});

async function searchInProcess(setup: object): Promise<z.infer<typeof resultSchema>> {
  const program = new URL("./search-process.ts", import.meta.url);
  const child = fork(program, [JSON.stringify(setup)], { execArgv: process.execArgv });
  const ended = once(child, "exit").then(() => {
    throw new Error("The process ended without a result.");
  });
  ended.catch(() => {});
  const [result]: unknown[] = await Promise.race([once(child, "message"), ended]);
  await ended.catch(() => {});
  return resultSchema.parse(result);
}

const MB = 1_000_000;

async function searches(url: string, queries: readonly string[], lab: Lab): Promise<string> {
  const rows: string[][] = [];
  const found: string[][][] = [];
  // The index of a process is slow to make, so one process makes all searches, the first of which is measured.
  for (const [name, stored, asked] of [
    ["stored index", true, queries.map((query) => [query])],
    ["index of the process", false, [queries]],
  ] as const) {
    lab.progress(name);
    const results: z.infer<typeof resultSchema>[] = [];
    for (const each of asked)
      results.push(await searchInProcess({ url, userId: USER, queries: each, stored }));
    const of = (field: "open" | "first" | "again" | "cpu", share: number) =>
      duration(
        1_000 *
          quantile(
            results.map((result) => result[field]),
            share,
          ),
      );
    const most = (field: "grown" | "rss") =>
      `${Math.round(Math.max(...results.map((result) => result[field])) / MB)} MB`;
    rows.push([
      ...[name, String(results.length), of("open", 0.5), of("first", 0.5), of("first", 0.95)],
      ...[of("cpu", 0.5), of("again", 0.5), of("again", 0.95), most("grown"), most("rss")],
    ]);
    found.push(results.flatMap((result) => result.found));
  }
  const [stored = [], inProcess = []] = found;
  const shares = inProcess.map((one, at) =>
    one.length === 0 ? 1 : one.filter((place) => stored[at]?.includes(place)).length / one.length,
  );
  const same = (100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length;
  const columns = [
    "first search of a process",
    "queries",
    "open p50",
    "first p50",
    "p95",
    "CPU p50",
    "again p50",
    "p95",
  ];
  const table = renderTable({ columns: [...columns, "memory grown by", "memory"], rows });
  return `${table}\n\nOf the first ten messages of the process's index, the stored one finds ${same.toFixed(1)}%.`;
}

await runProgram(usage, async () => {
  const { values } = parseArgs({
    args: commandLine(),
    options: {
      messages: { type: "string", default: "200000" },
      queries: { type: "string", default: "40" },
      url: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return console.log(usage);
  await withLab(async (lab) => {
    const url = values.url ?? (await startPostgresServer(lab));
    const pool = openPool(lab, url, 4);
    await fill(pool, Number(values.messages), lab);
    const load = disturbingLoad();
    console.log(
      `${describeMachine()}.${load === undefined ? "" : ` Other work ran beside it (load ${load.toFixed(1)}).`}\n`,
    );
    console.log(`${await index(pool, lab)}\n`);
    const chats = Number(values.messages) / PER_CONVERSATION;
    const queries = Array.from({ length: Number(values.queries) }, (_, at) => {
      const chat = generateConversation(
        Math.floor((chats * (at + 0.5)) / Number(values.queries)),
        PER_CONVERSATION,
      );
      return generateQuery(at, LENGTHS[at % LENGTHS.length] ?? 5, chat);
    });
    console.log(`${await searches(url, queries, lab)}\n`);
    console.log(await measureRanking(pool, lab));
  });
});
