import { setTimeout as sleep } from "node:timers/promises";
import { type Agent, createRunState, type RunConfig, run, runLedger } from "@jaf/core";
import { createInMemoryProvider } from "@jaf/memory";
import { openLedger } from "./place.ts";
import { BUDGET, type FromSpender, taskSchema } from "./spending.ts";

/** A forked process that makes runs of a user until the user's budget is used up. It begins with the parent's message. */

const say = (message: FromSpender): void => void process.send?.(message);

const { place, limit, call, callMs } = taskSchema.parse(JSON.parse(process.argv[2] ?? ""));
const { ledger, end } = await openLedger(place);

const agent: Agent<object, string> = { name: call.agentName, instructions: "" };
const config: RunConfig<object> = {
  agentRegistry: new Map([[agent.name, agent]]),
  modelProvider: {
    defaultModel: call.model,
    getCompletion: async () => {
      await sleep(Math.random() * 2 * callMs);
      return { message: { content: "Done." }, usage: { inputTokens: call.inputTokens, outputTokens: 0 } };
    },
  },
  memory: { provider: createInMemoryProvider(), userId: call.userId },
  prices: { [call.model]: { input: (call.cost / call.inputTokens) * 1_000_000, output: 0 } },
  ledger: runLedger({ store: ledger, tenant: call.tenantId }),
  budget: { user: { maxCost: limit, period: BUDGET.period } },
};

/** Makes run after run until the user's budget is used up. Resolves with the number of model calls. */
async function spend(): Promise<number> {
  for (let calls = 0; ; calls++) {
    const messages = [{ role: "user", content: "Hi" }] as const;
    const { outcome } = await run(createRunState({ agentName: agent.name, context: {}, messages }), config);
    if (outcome.status === "completed") continue;
    if (outcome.error._tag === "BudgetExceeded") return calls;
    throw new Error(JSON.stringify(outcome.error));
  }
}

process.once("message", async () => {
  const calls = await spend();
  await end();
  say({ kind: "done", calls });
  process.disconnect();
});
say({ kind: "ready" });
