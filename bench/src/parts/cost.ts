import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import * as z from "zod";
import { type CostRequest, type CostSetup, timesSchema, usageSchema } from "../cost/cost-messages.ts";
import { type ForkedServer, forkServer } from "../fork-server.ts";
import { inParallel, type Lab } from "../lab.ts";
import type { StoreKind } from "../options.ts";
import { duration, integer, ratio } from "../report.ts";
import type { Check } from "../results.ts";
import { now, quantile } from "../statistics.ts";
import { startPostgresServer } from "../stores/postgres.ts";
import { startRedisServer } from "../stores/redis.ts";
import type { Part } from "./part.ts";

const MESSAGE = "I live in Ulm. Where is the station?";
const HANDLER = "a plain Hono handler with `run`";
/** The turns of each client in a round, all in one conversation. */
const TURNS = 10;

interface Size {
  readonly clients: readonly number[];
  /** Returns the number of rounds. */
  readonly rounds: (clients: number) => number;
}

const SIZE: Size = { clients: [1, 16, 64], rounds: (clients) => (clients === 1 ? 12 : 5) };
const QUICK: Size = { clients: [1, 4], rounds: () => 1 };

interface Bench extends ForkedServer {
  readonly agent: Agent;
}

/** A conversation of a user of its own. */
interface Client {
  readonly bench: Bench;
  readonly userId: string;
}

/** One way to answer the same message. */
interface Contender {
  readonly name: string;
  /** Begins a conversation with its first turn, and returns its id. */
  readonly begin: (client: Client) => Promise<string>;
  /** Takes one more turn in the conversation. `undefined`: the server's process itself runs the turns. */
  readonly turn?: (client: Client, conversationId: string) => Promise<unknown>;
}

const post = ({ bench: { url, agent }, userId }: Client, path: string, body: object): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-user": userId };
    const sent = request(`${url}${path}`, { method: "POST", headers, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () =>
        response.statusCode === 200
          ? resolve(text)
          : reject(new Error(`${path} answered ${response.statusCode}: ${text.slice(0, 300)}`)),
      );
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });

const begun = z.object({ data: z.object({ conversationId: z.string(), status: z.literal("completed") }) });

const chat = (path: string, stream: boolean): Omit<Contender, "name"> => ({
  begin: async (client) =>
    begun.parse(JSON.parse(await post(client, path, { message: MESSAGE }))).data.conversationId,
  turn: (client, conversationId) => post(client, path, { message: MESSAGE, conversationId, stream }),
});

async function handle(client: Client, conversationId: string): Promise<void> {
  await post(client, "/run", { message: MESSAGE, conversationId });
}

async function beginByHandler(client: Client): Promise<string> {
  const conversationId = crypto.randomUUID();
  await handle(client, conversationId);
  return conversationId;
}

async function useChat(client: Client, id: string): Promise<void> {
  const message = { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text: MESSAGE }] };
  const text = await post(client, "/ai-sdk/chat", { id, messages: [message], trigger: "submit-message" });
  if (!text.includes('"finish"')) throw new Error(`The stream has no end: ${text.slice(-300)}`);
}

const contenders: readonly Contender[] = [
  { name: "`run`, no HTTP", begin: beginByHandler },
  { name: HANDLER, begin: beginByHandler, turn: handle },
  { name: "server, JSON", ...chat("/chat", false) },
  { name: "server, server-sent events", ...chat("/chat", true) },
  {
    name: "server, `useChat`",
    begin: async (client) => {
      const id = crypto.randomUUID();
      await useChat(client, id);
      return id;
    },
    turn: useChat,
  },
  { name: "server, JSON, facts recalled and learnt", ...chat("/facts/chat", false) },
];

async function ask(child: ChildProcess, message: CostRequest): Promise<unknown> {
  child.send(message);
  const [reply]: unknown[] = await once(child, "message");
  return reply;
}

interface Cost {
  readonly times: number[];
  turns: number;
  seconds: number;
  cpuMs: number;
  statements: number;
}

async function measureRound(bench: Bench, { begin, turn }: Contender, clients: number, cost: Cost) {
  const ids = new Map<Client, string>();
  const users = Array.from({ length: clients }, () => ({ bench, userId: crypto.randomUUID() }));
  await inParallel(users, clients, async (client) => void ids.set(client, await begin(client)));
  const before = usageSchema.parse(await ask(bench.child, { type: "usage" }));
  const start = now();
  if (turn === undefined) {
    const conversations = Array.from(ids, ([{ userId }, conversationId]) => ({ userId, conversationId }));
    const { times } = timesSchema.parse(await ask(bench.child, { type: "run", conversations, turns: TURNS }));
    cost.times.push(...times);
  } else {
    await inParallel(ids, clients, async ([client, id]) => {
      for (let nth = 0; nth < TURNS; nth++) {
        const sent = now();
        await turn(client, id);
        cost.times.push(now() - sent);
      }
    });
  }
  cost.seconds += (now() - start) / 1_000_000;
  const after = usageSchema.parse(await ask(bench.child, { type: "usage" }));
  cost.turns += clients * TURNS;
  cost.cpuMs += after.cpuMs - before.cpuMs;
  cost.statements += after.statements - before.statements;
}

const noCost = (): Cost => ({ times: [], turns: 0, seconds: 0, cpuMs: 0, statements: 0 });

/** Interleaves the contenders round by round, so other work of the machine affects all of them alike. */
async function measureClients(bench: Bench, clients: number, rounds: number): Promise<readonly Cost[]> {
  for (const contender of contenders) await measureRound(bench, contender, clients, noCost());
  const costs = contenders.map(noCost);
  for (let round = 0; round < rounds; round++) {
    for (const [nth, contender] of contenders.entries())
      await measureRound(bench, contender, clients, costs[nth] ?? noCost());
  }
  return costs;
}

async function startServer(lab: Lab, setup: CostSetup): Promise<Bench> {
  const server = await forkServer(lab, new URL("../cost/cost-process.ts", import.meta.url), setup);
  const agent = new Agent({ keepAlive: true });
  lab.onEnd(() => agent.destroy());
  return { ...server, agent };
}

const names: Readonly<Record<StoreKind, string>> = { redis: "Redis", postgres: "Postgres" };
const starts = { redis: startRedisServer, postgres: startPostgresServer };

/** Measures what a turn of the server costs beside a plain handler with `run`. */
export const cost: Part = async (lab, { stores, quick }) => {
  const { clients: widths, rounds } = quick ? QUICK : SIZE;
  const rows: string[][] = [];
  const checks: Check[] = [];
  for (const kind of stores) {
    const bench = await startServer(lab, { kind, url: await starts[kind](lab) });
    for (const clients of widths) {
      lab.progress(`${names[kind]}, ${clients} clients`);
      const costs = await measureClients(bench, clients, rounds(clients));
      const cpuOf = (nth: number) => (costs[nth]?.cpuMs ?? 0) / (costs[nth]?.turns ?? 1);
      const handler = contenders.findIndex(({ name }) => name === HANDLER);
      for (const [nth, { name }] of contenders.entries()) {
        const { times, turns, seconds, statements } = costs[nth] ?? noCost();
        rows.push([
          `${names[kind]}, ${clients}`,
          name,
          ratio(statements / turns),
          duration(1_000 * cpuOf(nth)),
          ratio(cpuOf(nth) / cpuOf(handler)),
          duration(quantile(times, 0.5)),
          duration(quantile(times, 0.99)),
          integer(turns / seconds),
        ]);
        if (name === "server, JSON") {
          const what = `CPU of a turn answered as JSON, ${names[kind]}, ${clients} clients, beside the handler`;
          checks.push({
            what,
            measured: cpuOf(nth) / cpuOf(handler),
            rule: "at most",
            target: 2.5,
            unit: "×",
          });
        }
      }
    }
    bench.child.disconnect();
  }
  return {
    table: {
      columns: ["store, clients", "", "statements", "CPU", "of the handler's", "p50", "p99", "turns/s"],
      rows,
    },
    checks,
  };
};
