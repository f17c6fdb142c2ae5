import { parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import { functionSchema } from "../middleware.ts";
import { openCallLedger } from "./call-ledger.ts";
import type { RunLedger, RunLedgerOptions } from "./run-ledger.ts";

const storeSchema = z.custom<unknown>(
  (value) => {
    const { record, amounts, report } = (value ?? {}) as Readonly<Record<string, unknown>>;
    return [record, amounts, report].every((method) => typeof method === "function");
  },
  { error: "expected a ledger, e.g. from createPostgresLedger" },
);

const optionsSchema = z.strictObject({
  store: storeSchema,
  tenant: z.union([z.string(), functionSchema], { error: "expected an id or a function" }).optional(),
});

/**
 * Makes a `RunConfig.ledger` of a ledger's store: each model call is recorded there, and budgets of users, tenants and
 * days are checked there; see `docs/cost.md`. Throws a `TypeError` if an option is invalid.
 *
 * @example
 * ```ts
 * import { type Agent, createAgentClient, type ModelProvider, runLedger } from "@jaf/core";
 * import { createInMemoryLedger, createInMemoryProvider } from "@jaf/memory";
 *
 * declare const agent: Agent<object, string>;
 * declare const modelProvider: ModelProvider<object>;
 *
 * export const client = createAgentClient(agent, {
 *   modelProvider,
 *   context: {},
 *   store: createInMemoryProvider(),
 *   ledger: runLedger({ store: createInMemoryLedger() }),
 *   budget: { user: { maxTokens: 200_000, period: "day" } },
 * });
 * ```
 */
export function runLedger<Ctx>(options: RunLedgerOptions<Ctx>): RunLedger<Ctx> {
  parseOptions(optionsSchema, options, "options of runLedger()");
  return { store: options.store, open: (config, scope) => openCallLedger(options, config, scope) };
}
