import { Agent, request } from "node:http";
import { createScriptedModel } from "@jaf/core/testing";
import { createInMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { createRedisProvider, createRedisTurnLog } from "@jaf/memory-redis";
import { runServer } from "@jaf/server";
import { MemoryUserMemory } from "@jaf/user-memory";
import type { Lab } from "../lab.ts";
import { duration, integer, ratio } from "../report/format.ts";
import { type Measured, measure } from "../statistics.ts";
import { connectRedis, startRedisServer } from "../stores/redis.ts";
import type { Part } from "./part.ts";

const TARGET = 1.1;
const ROUNDS = { warmUp: 50, rounds: 1_000 };
const QUICK = { warmUp: 2, rounds: 10 };

interface Ids {
  readonly conversationId: string;
  readonly factId: string;
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

const routesFor = ({ conversationId, factId }: Ids): readonly Route[] => [
  { method: "GET", path: `/conversations/${conversationId}` },
  { method: "GET", path: `/conversations/${conversationId}/export` },
  { method: "GET", path: `/conversations/${conversationId}/turns` },
  { method: "GET", path: `/conversations/${conversationId}/events` },
  { method: "POST", path: `/conversations/${conversationId}/stop`, body: {} },
  {
    method: "POST",
    path: `/conversations/${conversationId}/regenerate`,
    body: { version: 2 },
  },
  { method: "PATCH", path: `/conversations/${conversationId}`, body: { title: "mine" } },
  { method: "DELETE", path: `/conversations/${conversationId}` },
  { method: "POST", path: "/chat", body: { conversationId, message: "hello" } },
  { method: "GET", path: `/facts/${factId}` },
  { method: "DELETE", path: `/facts/${factId}` },
];

interface Answer {
  readonly status: number;
  /** Without what differs between any two answers. */
  readonly body: string;
}

/** A request of `userId`, by a connection that stays open. */
const askerOf =
  (url: string, agent: Agent) =>
  ({ method, path, body }: Route, userId: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "x-user": userId };
      const sent = request(`${url}${path}`, { method, headers, agent }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: text.replace(/"requestId":"[^"]*"/, "") }),
        );
        response.on("error", reject);
      });
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });

interface Row {
  readonly store: string;
  readonly route: string;
  readonly foreign: Measured;
  readonly unknown: Measured;
}

async function openStores(lab: Lab, store: "in memory" | "Redis") {
  if (store === "in memory") return { provider: createInMemoryProvider(), turnLog: createInMemoryTurnLog() };
  const client = await connectRedis(lab, await startRedisServer(lab));
  const keyPrefix = "jaf:";
  return {
    provider: await createRedisProvider({ type: "redis", keyPrefix }, client),
    turnLog: createRedisTurnLog(client, { keyPrefix }),
  };
}

async function measureStore(
  lab: Lab,
  { store, quick }: { readonly store: "in memory" | "Redis"; readonly quick: boolean },
): Promise<{ readonly rows: readonly Row[]; readonly different: number }> {
  const { provider, turnLog } = await openStores(lab, store);
  const userMemory = new MemoryUserMemory();
  const server = await runServer(
    [{ name: "assistant", instructions: "Answer." }],
    { modelProvider: createScriptedModel(["Hello."]) },
    {
      port: 0,
      defaultMemoryProvider: provider,
      turnLog,
      userMemory,
      authenticate: (asked: Request) => ({ userId: asked.headers.get("x-user") ?? "nobody" }),
      limits: { requestsPerMinute: Number.POSITIVE_INFINITY },
    },
  );
  lab.onEnd(() => server.close());
  const agent = new Agent({ keepAlive: true });
  lab.onEnd(() => agent.destroy());
  const ask = askerOf(server.url, agent);
  const begun = await ask({ method: "POST", path: "/chat", body: { message: "Hello." } }, "b");
  const { conversationId }: { conversationId: string } = JSON.parse(begun.body).data;
  const { id: factId } = await userMemory.remember("b", "Lives in Oslo.");
  const foreign = routesFor({ conversationId, factId });
  const rows: Row[] = [];
  let different = 0;
  for (const [at, route] of foreign.entries()) {
    // Of the same form, so that nothing but the store can tell.
    const unknownRoute = (): Route =>
      routesFor({
        conversationId: conversationId.replace(/[0-9a-f-]{36}$/, crypto.randomUUID()),
        factId: factId.replace(/[0-9a-f-]{36}$/, crypto.randomUUID()),
      })[at] ?? route;
    const [theirs, nobodys] = [await ask(route, "a"), await ask(unknownRoute(), "a")];
    if (theirs.status !== nobodys.status || theirs.body !== nobodys.body) different += 1;
    const of = await measure(
      [
        { name: "foreign", once: async () => void (await ask(route, "a")) },
        { name: "unknown", once: async () => void (await ask(unknownRoute(), "a")) },
      ],
      quick ? QUICK : ROUNDS,
    );
    const name = `${route.method} ${route.path.replace(conversationId, ":id").replace(factId, ":id")}`;
    rows.push({ store, route: name, foreign: of("foreign"), unknown: of("unknown") });
    lab.progress(`${store}: ${name}`);
  }
  return { rows, different };
}

/** Another user's ids, beside ids that don't exist: the same answer, after the same time. */
export const isolation: Part = async (lab, { quick }) => {
  const measured = [
    await measureStore(lab, { store: "in memory", quick }),
    await measureStore(lab, { store: "Redis", quick }),
  ];
  const rows = measured.flatMap(({ rows }) => rows);
  const apart = ({ foreign, unknown }: Row): number =>
    Math.max(foreign.p50 / unknown.p50, unknown.p50 / foreign.p50);
  return {
    part: "isolation",
    table: {
      columns: ["", "route", "another user's id, p50", "an unknown id, p50", "ratio"],
      rows: rows.map((row) => [
        row.store,
        row.route,
        duration(row.foreign.p50),
        duration(row.unknown.p50),
        ratio(row.foreign.p50 / row.unknown.p50),
      ]),
    },
    checks: [
      {
        what: `answers that differ, of ${integer(rows.length)} routes`,
        measured: measured.reduce((sum, { different }) => sum + different, 0),
        rule: "at most",
        target: 0,
        unit: "",
      },
      {
        what: "the larger median to the smaller, of the worst route",
        measured: Math.max(...rows.map(apart)),
        rule: "at most",
        target: TARGET,
        unit: "×",
      },
    ],
    plots: [],
  };
};
