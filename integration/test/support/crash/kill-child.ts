import { writeSync } from "node:fs";
import { createPostgresProvider } from "@jaf/memory-postgres";
import { createRedisProvider } from "@jaf/memory-redis";
import { openConversation } from "./conversation.ts";
import { judgeOfSurvivors, killedSchema, playOf, type StoreAddress } from "./killed.ts";
import { createLedger } from "./ledger.ts";
import type { Mortal } from "./saboteur.ts";
import { createJudge } from "./verdict.ts";

/** Plays conversations at the same time and kills itself in the middle. Prints each event as a line before it continues. */
const options = killedSchema.parse(JSON.parse(process.argv[2] ?? ""));
const { address, leaseMs, conversationIds, killAt, after } = options;

const openStore = (store: StoreAddress) => {
  if (store.type === "redis") return createRedisProvider({ url: store.url, keyPrefix: store.keyPrefix });
  const { connectionString, schema } = store;
  return createPostgresProvider({ connectionString, schema, migrate: false });
};

let calls = 0;
const openMortal = (): Mortal => ({
  signal: new AbortController().signal,
  call: async (_point, action) => {
    calls += 1;
    const due = calls === killAt;
    if (due && !after) process.kill(process.pid, "SIGKILL");
    const value = await action();
    if (due) process.kill(process.pid, "SIGKILL");
    return value;
  },
  callUncounted: (action) => action(),
});

const provider = await openStore(address);

async function play(conversationId: string, index: number): Promise<void> {
  const { scenario, mode } = playOf(index);
  const { durability } = mode;
  const ledger = createLedger((event) => void writeSync(1, `${JSON.stringify([index, event])}\n`));
  const judge = judgeOfSurvivors(ledger, createJudge({ ledger, scenario, durability, lateWrite: false }));
  const conversation = await openConversation({
    ...{ scenario, mode, conversationId, leaseMs, ledger, judge },
    connect: async () => ({ ...provider }),
    open: openMortal,
  });
  await conversation.play();
}

await Promise.all(conversationIds.map(play));
await provider.close();
