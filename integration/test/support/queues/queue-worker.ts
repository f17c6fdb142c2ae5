import type { TurnQueue } from "@jaf/memory";
import { createPostgresProvider, createPostgresTurnLog } from "@jaf/memory-postgres";
import { createServerApp, type ServerApp } from "@jaf/server";
import pg from "pg";
import { agentWith, slowModel } from "../server/agent.ts";

export interface QueueProcessOptions {
  readonly pgUrl: string;
  readonly schema: string;
  /** The file that the agent's tool writes. */
  readonly ledger: string;
  /** What the recipe's function gets. */
  readonly engineUrl: string;
}

export interface QueueProcess extends Pick<ServerApp, "service"> {
  readonly readMessages: (conversationId: string) => Promise<readonly unknown[]>;
  readonly close: () => Promise<void>;
}

/** Opens a server that answers no requests, on a queue. `concurrency`: how many turns it runs at a time. */
export async function openQueueProcess(
  { pgUrl, schema, ledger }: QueueProcessOptions,
  { queue, concurrency }: { readonly queue: TurnQueue; readonly concurrency: number },
): Promise<QueueProcess> {
  const pool = new pg.Pool({ connectionString: pgUrl, max: 4 });
  pool.on("error", () => undefined);
  const provider = await createPostgresProvider({ type: "postgres", schema }, pool);
  const app = await createServerApp(
    [agentWith(ledger)],
    { modelProvider: slowModel },
    {
      ...{ defaultMemoryProvider: provider, turnLog: await createPostgresTurnLog({ schema }, pool) },
      ...{ queue, concurrency },
      // Turns are handed over in their middle.
      shutdownMs: 0,
      turns: { leaseSeconds: 1, heartbeatMs: 200, recoverMs: 300 },
    },
  );
  return {
    service: app.service,
    readMessages: async (conversationId) => {
      const read = await provider.getConversation(conversationId);
      if (!read.success) throw read.error;
      return read.data?.messages ?? [];
    },
    close: async () => {
      await app.close();
      await queue.close();
      await pool.end();
    },
  };
}

/** The program of a worker process. Its argument is the options as JSON. Hands its turns over on SIGTERM. */
export async function runWorker(createQueue: (url: string) => TurnQueue | Promise<TurnQueue>): Promise<void> {
  const options: QueueProcessOptions = JSON.parse(process.argv[2] ?? "{}");
  const queue = await createQueue(options.engineUrl);
  const { close } = await openQueueProcess(options, { queue, concurrency: 4 });
  process.on("SIGTERM", () => void close().then(() => process.exit(0)));
  process.stdout.write("ready\n");
}
