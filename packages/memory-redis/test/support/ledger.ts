import { describeLedgerConformance } from "@jaf/memory/testing";
import { adaptClient } from "../../src/client/adapt-client.ts";
import { createRedisLedger } from "../../src/index.ts";
import { createLedgerKeys } from "../../src/ledger/keys.ts";
import { calendar } from "../../src/ledger/scripts.ts";
import { list, lua } from "../../src/lua.ts";
import { type Opened, openers } from "./clients.ts";
import { freshPrefix } from "./stores.ts";

/** Renames the hashes of a part of the sums, the oldest first. */
const moveSums = lua`
${calendar}
local number = dayNumber()
for back = 500, -1, -1 do
  local key = KEYS[1] .. dateOf(number - back)
  if redis.call('EXISTS', key) == 1 then redis.call('RENAME', key, KEYS[1] .. dateOf(number - back - ARGV[1])) end
end
`;

const DAY_MS = 86_400_000;
const dayBefore = (ms: number, days: number): string =>
  new Date(ms - days * DAY_MS).toISOString().slice(0, 10);
/** Returns the last time of a month such as `2026-11` that isn't in the future. */
function lastTimeIn(month: string): number {
  const next = new Date(month);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return Math.min(next.getTime() - 1, Date.now());
}

/** Moves the sums under a prefix to earlier days, and so the totals of the user `u`, the tenant `t` and everyone. */
export async function ageLedger(client: Opened["client"], keyPrefix: string, days: number): Promise<void> {
  const port = adaptClient(client);
  const keys = createLedgerKeys(keyPrefix);
  for (const start of keys.allSums) await port.send(["EVAL", moveSums, "1", start, String(days)], start);
  for (const key of [keys.totals("user", "u"), keys.totals("tenant", "t"), keys.totals("everyone", "")]) {
    const fields = list(await port.send(["HMGET", key, "day", "month"], key));
    const [day, month] = fields.map((field) => (field === null ? undefined : String(field).split(" ")));
    if (day === undefined || month === undefined) continue;
    const [since = "", ...amounts] = day;
    const [sinceMonth = "", ...ofMonth] = month;
    const moved = [dayBefore(Date.parse(since), days), ...amounts].join(" ");
    const movedMonth = [dayBefore(lastTimeIn(sinceMonth), days).slice(0, 7), ...ofMonth].join(" ");
    await port.send(["HSET", key, "day", moved, "month", movedMonth], key);
  }
}

/** Runs the kit of a ledger on clients of one kind. */
export function describeLedgerOn(name: keyof typeof openers): void {
  const isCluster = name.includes("cluster");
  describeLedgerConformance({
    name: `redis, ${name}`,
    ...(isCluster ? { notAtomic: "on a Cluster, the sums are on several servers" } : {}),
    createLedger: async () => {
      const keyPrefix = freshPrefix();
      const opened: Opened[] = [];
      const open = async () => {
        const connection = await openers[name]();
        opened.push(connection);
        return connection.client;
      };
      const connect = async () => createRedisLedger({ keyPrefix }, await open());
      const dispose = async () => void (await Promise.all(opened.map(({ end }) => end())));
      const [ledger, client] = [await connect(), await open()];
      return { ledger, connect, age: (days) => ageLedger(client, keyPrefix, days), dispose };
    },
  });
}
