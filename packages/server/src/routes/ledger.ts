import type { Ledger } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import * as z from "zod";
import { type FailureCode, HttpFailure, unwrap } from "../http/failure.ts";
import { operation, type Route } from "../http/router.ts";
import type { ServerParts } from "../server-parts.ts";
import { count, id } from "./schemas.ts";

const failures = ["not-configured"] satisfies readonly FailureCode[];
const date = z.iso.date().optional();

/** Schema of a list in a query string, with commas between its items. */
const listOf = <const Names extends readonly [string, ...string[]]>(names: Names, initial: Names[number]) =>
  z
    .string()
    .default(initial)
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(names)));

const OWN_GROUPS = ["day", "agent", "model", "tool", "cacheMiss"] as const;
const own = {
  from: date.describe("The first day, in UTC. Default: the first day of this month."),
  to: date.describe("The last day, in UTC. Default: today."),
  limit: count(1_000).default(200),
};

const rowSchema = z.object({
  day: z.string().optional(),
  user: z.string().nullish(),
  tenant: z.string().nullish(),
  agent: z.string().optional(),
  model: z.string().optional(),
  tool: z.string().nullish(),
  cacheMiss: z.string().nullish(),
  calls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
  cacheWriteTokens: z.number(),
  reasoningTokens: z.number(),
  cost: z.number(),
});
const answer = z.object({ rows: z.array(rowSchema) });

const readLedger = operation("get", "/ledger", {
  summary: "Sum up what the user's model calls used and cost",
  query: z.object({ ...own, by: listOf(OWN_GROUPS, "day") }),
  answer,
  failures,
});

const readWholeLedger = operation("get", "/ledger/all", {
  summary: "Sum up what the model calls of all users used and cost",
  query: z.object({
    ...own,
    by: listOf([...OWN_GROUPS, "user", "tenant"], "day"),
    userId: id.optional(),
    tenantId: id.optional(),
  }),
  answer,
  failures: [...failures, "forbidden"],
});

/** Adds the routes that report from the ledger. */
export function ledgerRoutes(route: Route, { ledger, mayReadLedger }: ServerParts): void {
  const store = (): Ledger => {
    if (ledger !== undefined) return ledger;
    throw new HttpFailure(
      "not-configured",
      "The server has no ledger. Set ledger of its run configuration, e.g. to { store: await createPostgresLedger({}, pool) }.",
    );
  };

  route(readLedger, async ({ userId, query }) => ({
    rows: unwrap(await store().report({ ...present(query), userId })),
  }));

  route(readWholeLedger, async ({ context, query }) => {
    const ledger = store();
    if (!(await mayReadLedger(context.get("identity"))))
      throw new HttpFailure(
        "forbidden",
        "This user can't read the sums of all users. To allow it, set mayReadLedger.",
      );
    return { rows: unwrap(await ledger.report(present(query))) };
  });
}
