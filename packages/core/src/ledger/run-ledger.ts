import type { Ledger } from "@jaf/memory";
import * as z from "zod";
import { functionSchema } from "../middleware.ts";

/** Where a run records what its model calls use and cost, and for whom; see `docs/cost.md`. */
export interface RunLedger<Ctx> {
  /** The store of the sums, e.g. from `createPostgresLedger`. */
  readonly store: Ledger;
  /**
   * The id of the tenant (e.g. the customer) that the user belongs to, or a function that returns it for the run's
   * context. Default: the calls have no tenant. If the function throws, the run ends with `InternalError`.
   */
  readonly tenant?: string | ((context: Readonly<Ctx>) => string | undefined);
}

const storeSchema = z.custom<unknown>(
  (value) => {
    const { record, amounts, report } = (value ?? {}) as Readonly<Record<string, unknown>>;
    return [record, amounts, report].every((method) => typeof method === "function");
  },
  { error: "expected a ledger, e.g. from createPostgresLedger" },
);

export const ledgerSchema = z.strictObject(
  {
    store: storeSchema,
    tenant: z.union([z.string(), functionSchema], { error: "expected an id or a function" }).optional(),
  },
  { error: "expected an object of store and tenant" },
);
