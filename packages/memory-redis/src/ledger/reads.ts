import {
  createLedgerReport,
  type LedgerBackend,
  type LedgerQuery,
  type LedgerSum,
} from "@jaf/memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import { list, type RunScript, text } from "../lua.ts";
import { namesOfUser, toSum } from "./codec.ts";
import type { createLedgerKeys } from "./keys.ts";
import type { scripts } from "./scripts.ts";

/** About how many sums are read in one step. */
const PAGE = 500;

export interface SumReadParts {
  readonly port: RedisPort;
  readonly keys: ReturnType<typeof createLedgerKeys>;
  readonly deadlines: Deadlines;
  readonly run: RunScript<keyof typeof scripts>;
  readonly retentionDays: number;
}

interface SumSelection {
  readonly day: string;
  /** Only this user's sums. */
  readonly user?: string | undefined;
}

/** Returns functions that read the sums for reports. */
export function createSumReads({ port, keys, deadlines, run, retentionDays }: SumReadParts) {
  /** Returns the days that have sums in a part. */
  async function daysOf(start: string, { from = "", to = "" }: Pick<LedgerQuery, "from" | "to">) {
    return list(await run("days", { keys: [start], args: [from, to, retentionDays] })).map(text);
  }

  /** Returns the sums of a part and a day, in pages. */
  async function* readSums(start: string, { day, user }: SumSelection): AsyncGenerator<readonly LedgerSum[]> {
    const key = `${start}${day}`;
    const match = user === undefined ? [] : ["MATCH", namesOfUser(user)];
    // A scan may return a sum twice.
    const seen = new Set<string>();
    let cursor = "0";
    do {
      const scan = ["HSCAN", key, cursor, ...match, "COUNT", String(PAGE)];
      const [next, found] = list(await deadlines(port.send(scan, key)));
      const fields = list(found).map(text);
      const page: LedgerSum[] = [];
      for (let at = 0; at < fields.length; at += 2) {
        const [name = "", amounts = ""] = [fields[at], fields[at + 1]];
        if (!seen.has(name)) page.push(toSum(day, name, amounts));
        seen.add(name);
      }
      yield page;
      cursor = text(next);
    } while (cursor !== "0");
  }

  const report: LedgerBackend["report"] = async (query) => {
    const summedUp = createLedgerReport(query);
    const parts = query.userId === undefined ? keys.allSums : [keys.sums(query.userId)];
    await Promise.all(
      parts.map(async (start) => {
        for (const day of await daysOf(start, query))
          for await (const page of readSums(start, { day, user: query.userId }))
            for (const sum of page) summedUp.add(sum);
      }),
    );
    return summedUp.rows();
  };

  return { daysOf, readSums, report };
}
