import type { LedgerStore } from "@jaf/memory";
import { defineLedger, type LedgerBackend, type LedgerRecord, parseOptions } from "@jaf/memory/adapter";
import * as z from "zod";
import type { RedisClient } from "../client/clients.ts";
import { type RedisConfig, redisConfigSchema } from "../config.ts";
import { toMemoryError } from "../errors.ts";
import { list, text } from "../lua.ts";
import { createCalls, openStore, type StoreOptions } from "../open-store.ts";
import { fromText, nameOf, toText } from "./codec.ts";
import { createLedgerKeys } from "./keys.ts";
import { createSumReads } from "./reads.ts";
import { scripts } from "./scripts.ts";

const schema = z.strictObject({
  ...redisConfigSchema.shape,
  retentionDays: z.int().min(1).max(36_500).default(400),
});

/** The configuration of {@link createRedisLedger}. `ttl` has no effect. */
export interface RedisLedgerConfig extends RedisConfig {
  /** For how many days the sums of a day can be reported, and are then removed: 1 to 36,500. Default 400. */
  readonly retentionDays?: number;
}

/**
 * Creates a ledger of what model calls use and cost in Redis, for budgets that all processes share, and for reports. The
 * ledger can use the server and the `keyPrefix` of the conversations. `client` is a connected client of `redis` or
 * `ioredis`. Closing the ledger doesn't close `client`. Without `client`, the ledger opens a connection. The server must
 * not be configured to evict keys.
 *
 * On one server, a record is one atomic script. On a Cluster, each of its sums is on the server of its user, its tenant
 * or everyone, and is atomic by itself. A `keyPrefix` with a hash tag keeps all sums on one server.
 *
 * Throws a `TypeError` for an invalid configuration, and a `MemorySetupError` if the server can't be reached.
 *
 * @example
 * ```ts
 * import { createRedisLedger } from "@jaf/memory-redis";
 *
 * const ledger = await createRedisLedger({ host: "localhost", port: 6379 });
 * await ledger.record([{ userId: "user-42", agentName: "support", model: "gpt-5", calls: 1, cost: 0.02 }]);
 * const spent = await ledger.amounts([{ of: "user", id: "user-42", period: "day" }]);
 * if (spent.success) console.log(spent.data[0]?.cost);
 * ```
 */
export async function createRedisLedger(
  config: RedisLedgerConfig = {},
  client?: RedisClient,
): Promise<LedgerStore> {
  const { retentionDays, ...settings } = parseOptions(schema, config, "Redis ledger configuration");
  const store = await openStore({ settings, client, operation: "createRedisLedger" });
  return defineLedger(createLedgerBackend({ ...store, retentionDays }));
}

/** Amounts to add to the hash with the key `key`. `name` is the name of a sum, or `""` for totals. */
interface Addition {
  readonly key: string;
  readonly name: string;
  readonly amounts: string;
}

function createLedgerBackend(options: StoreOptions & { readonly retentionDays: number }): LedgerBackend {
  const { port, close, retentionDays } = options;
  const keys = createLedgerKeys(options.keyPrefix);
  const atomic = !port.isCluster || keys.inOneSlot;
  const { deadlines, wait, run } = createCalls(options, scripts);
  const { daysOf, readSums, report } = createSumReads({ port, keys, deadlines, run, retentionDays });

  function additionsOf({ sums, totals }: LedgerRecord): readonly Addition[] {
    return [
      ...totals.map(({ of, id, amounts }) => ({
        key: keys.totals(of, id),
        name: "",
        amounts: toText(amounts),
      })),
      ...sums.map((sum) => ({ key: keys.sums(sum.user), name: nameOf(sum), amounts: toText(sum.amounts) })),
    ];
  }

  /** Adds to hashes that are on the same server, in one script. */
  async function add(additions: readonly Addition[]): Promise<void> {
    const [first = "", ...others] = new Set(additions.map(({ key }) => key));
    const hashes: [string, ...string[]] = [first, ...others];
    const recordId = port.mayResend ? crypto.randomUUID() : "";
    const args = additions.flatMap(({ key, name, amounts }) => [hashes.indexOf(key) + 1, name, amounts]);
    const call = {
      keys: recordId === "" ? hashes : ([...hashes, keys.done(first, recordId)] as typeof hashes),
      args: [recordId, retentionDays, ...args],
    };
    await run("record", call, wait);
  }

  async function readTotals(
    hashes: readonly string[],
    periods: readonly string[],
  ): Promise<readonly unknown[]> {
    const [first = "", ...others] = hashes;
    return list(await run("totals", { keys: [first, ...others], args: periods }));
  }

  return {
    name: "redis",

    record: async (record) => {
      const additions = additionsOf(record);
      if (atomic) return add(additions);
      const byKey = new Map<string, Addition[]>();
      for (const addition of additions) {
        const known = byKey.get(addition.key);
        if (known === undefined) byKey.set(addition.key, [addition]);
        else known.push(addition);
      }
      // All are awaited, so that none is still under way when the caller learns of a failure.
      const added = await Promise.allSettled([...byKey.values()].map(add));
      for (const one of added) if (one.status === "rejected") throw one.reason;
    },

    amounts: async (scopes) => {
      const hashes = scopes.map(({ of, id = "" }) => keys.totals(of, id));
      const periods = scopes.map(({ period }) => period);
      const read = atomic
        ? await readTotals(hashes, periods)
        : (await Promise.all(hashes.map((key, at) => readTotals([key], periods.slice(at, at + 1))))).flat();
      return read.map((amounts) => fromText(text(amounts)));
    },

    report,

    eraseUser: async (userId) => {
      const start = keys.sums(userId);
      const totals = keys.totals("user", userId);
      let erased = 0;
      for (const day of await daysOf(start, { from: "1970-01-01", to: "9999-12-31" })) {
        for await (const page of readSums(start, { day, user: userId })) {
          const names = page.flatMap((sum) => [nameOf(sum), nameOf({ ...sum, user: null })]);
          if (names.length === 0) continue;
          erased += Number(text(await run("rename", { keys: [`${start}${day}`], args: names }, wait)));
        }
      }
      await deadlines(port.send(["DEL", totals], totals));
      return erased;
    },

    close,
    toMemoryError: (operation, thrown) => toMemoryError(operation, thrown, port.isCluster),
  };
}
