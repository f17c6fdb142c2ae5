import { type Agent, createRunState, type ModelProvider, type RunConfig, run } from "@jaf/core";
import { createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createServerApp } from "@jaf/server";
import { Pool } from "pg";
import * as z from "zod";
import { type Depth, openWatch } from "./watch.ts";

/** Stores a turn on Postgres with `run` and with the server, and measures the depth of the first write of its conversation. */

const [, , url, ...flags] = process.argv;
const watch = openWatch(import.meta.url);

const pool = new Pool({ connectionString: url });
let isWatching = false;
let found: Depth | undefined;
const { query } = pool;
pool.query = ((...args: Parameters<typeof query>) => {
  if (isWatching && /conversations_write\\?"?\(/.test(JSON.stringify(args[0]))) {
    isWatching = false;
    found = watch.read();
  }
  return query.apply(pool, args);
}) as typeof query;

const provider = await createPostgresProvider({ type: "postgres" }, pool);
const agent: Agent<unknown, string> = { name: "assistant", instructions: "Help." };
const modelProvider: ModelProvider<unknown> = {
  getCompletion: async () => ({ message: { content: "Good morning." } }),
};

async function watched(turn: () => Promise<unknown>): Promise<Depth> {
  // Code that runs once per process isn't part of a turn.
  await turn();
  found = undefined;
  isWatching = true;
  watch.start();
  await turn();
  if (found === undefined) throw new Error("The turn wrote nothing.");
  return found;
}

const runOf = (durability: "completed" | "turn" | "step") => async () => {
  const config: RunConfig<unknown> = {
    agentRegistry: new Map([["assistant", agent]]),
    modelProvider,
    conversationId: `a ${durability}`,
    memory: { provider, autoStore: true, durability },
  };
  const { outcome } = await run(
    createRunState({ agentName: "assistant", context: {}, messages: [{ role: "user", content: "Hello" }] }),
    config,
  );
  if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
};

const turnLog = await createPostgresTurnLog({}, pool);
const app = await createServerApp(
  [agent],
  { modelProvider },
  {
    ...{ defaultMemoryProvider: provider, turnLog },
    authenticate: () => ({ userId: "ada" }),
  },
);
async function ask(path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const answer = await app.fetch(
    new Request(`http://localhost${path}`, { method: "POST", body: JSON.stringify(body), headers }),
  );
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

const begun = z.object({ data: z.object({ conversationId: z.string() }) });
const first = await ask("/chat", { agentName: "assistant", message: "Hello" });
const { conversationId } = begun.parse(await first.json()).data;
async function serverTurn(): Promise<void> {
  await (await ask("/chat", { agentName: "assistant", message: "Hello", conversationId })).text();
}

const turns = {
  "run, stored when completed": runOf("completed"),
  "run, stored by turn": runOf("turn"),
  "run, stored by step": runOf("step"),
  "turn of the server": serverTurn,
};
for (const [name, turn] of Object.entries(turns)) {
  const { calls, files } = await watched(turn);
  const engine = calls.findIndex((call) => / (run|execute)\d*$/.test(call));
  console.log(
    `${name}: ${calls.length} calls, ${calls.length - engine} of them from the engine on; ${files.length} files`,
  );
  if (flags.includes("--list"))
    console.log(["", ...calls, "", ...files, ""].map((each) => `  ${each}`).join("\n"));
}
await app.close();
await pool.end();
