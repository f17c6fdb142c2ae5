import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "@jaf/memory";
import { openLedger } from "./place.ts";
import { BUDGET, type FromSpender, taskSchema } from "./spending.ts";

/** A forked process that makes calls of a user until the user's budget is used up. It begins with the parent's message. */

const say = (message: FromSpender): void => void process.send?.(message);

function dataOf<T>(result: Result<T>): T {
  if (result.success) return result.data;
  throw new Error(result.error.message);
}

const { place, limit, call, callMs } = taskSchema.parse(JSON.parse(process.argv[2] ?? ""));
const { ledger, end } = await openLedger(place);

async function spend(): Promise<number> {
  for (let calls = 0; ; calls++) {
    const [spent] = dataOf(await ledger.amounts([BUDGET]));
    if (spent === undefined || spent.cost >= limit) return calls;
    await sleep(Math.random() * 2 * callMs);
    dataOf(await ledger.record([call]));
  }
}

process.once("message", async () => {
  const calls = await spend();
  await end();
  say({ kind: "done", calls });
  process.disconnect();
});
say({ kind: "ready" });
