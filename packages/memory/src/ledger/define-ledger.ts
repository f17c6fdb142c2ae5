import * as z from "zod";
import { guarded, schemaIssues } from "../codec/checks.ts";
import {
  createFailure,
  createMemoryConnectionError,
  createMemoryStorageError,
  createMemoryValidationError,
  createSuccess,
  describeCause,
  type MemoryErrorUnion,
  type Result,
} from "../contract/errors.ts";
import { idIssue } from "../contract/ids.ts";
import { present } from "../runtime/objects.ts";
import { addAmounts, amountsOf, roundAmounts } from "./amounts.ts";
import type { LedgerAddition, LedgerBackend, LedgerRecord, LedgerTotal } from "./backend.ts";
import type { LedgerAmounts, LedgerEntry, LedgerStore } from "./ledger.ts";

const DEFAULT_LIMIT = 1_000;

const id = z.custom<string>((value) => idIssue("", value) === undefined, {
  error: ({ input }) => `expected ${idIssue("", input)?.expected}`,
});
const amount = z.number().min(0).max(Number.MAX_SAFE_INTEGER).default(0);
const cacheMiss = z.enum(["first-call", "model", "instructions", "tools", "messages", "expired", "unknown"]);

const amountFields = {
  calls: amount,
  inputTokens: amount,
  outputTokens: amount,
  cachedInputTokens: amount,
  cacheWriteTokens: amount,
  reasoningTokens: amount,
  cost: amount,
} satisfies Record<keyof LedgerAmounts, z.ZodType>;

const entriesSchema = z.array(
  z.strictObject({
    // An id that is `undefined` is refused: the user's budget wouldn't count the call.
    userId: id.exactOptional(),
    tenantId: id.exactOptional(),
    agentName: id,
    model: id,
    tool: id.exactOptional(),
    cacheMiss: cacheMiss.exactOptional(),
    ...amountFields,
  }),
);

const period = z.enum(["day", "month"]);
const scopesSchema = z.array(
  z.discriminatedUnion("of", [
    z.strictObject({ of: z.literal("user"), id, period }),
    z.strictObject({ of: z.literal("tenant"), id, period }),
    z.strictObject({ of: z.literal("everyone"), period }),
  ]),
);

const EXPECTED_DAY = { error: "expected a date from 1970-01-01, e.g. 2026-11-28" };
const day = z.iso.date(EXPECTED_DAY).refine((date) => date >= "1970-01-01", EXPECTED_DAY);

const querySchema = z.strictObject({
  from: day.optional(),
  to: day.optional(),
  // An id that is `undefined` is refused: the report would show the sums of all users.
  userId: id.exactOptional(),
  tenantId: id.exactOptional(),
  by: z
    .array(z.enum(["day", "user", "tenant", "agent", "model", "tool", "cacheMiss"]))
    .min(1)
    .refine((fields) => new Set(fields).size === fields.length, { error: "expected no field twice" }),
  limit: z.int().min(1).default(DEFAULT_LIMIT),
});

/** Sums up the entries of a record. */
function toRecord(entries: readonly (LedgerEntry & LedgerAmounts)[]): LedgerRecord {
  const sums = new Map<string, LedgerAddition>();
  const totals = new Map<string, LedgerTotal>();

  function add<T extends { readonly amounts: LedgerAmounts }>(to: Map<string, T>, name: string, given: T) {
    const known = to.get(name);
    to.set(
      name,
      known === undefined ? given : { ...known, amounts: addAmounts(known.amounts, given.amounts) },
    );
  }
  const addTotal = (of: LedgerTotal["of"], ofId: string, amounts: LedgerAmounts) =>
    add(totals, JSON.stringify([of, ofId]), { of, id: ofId, amounts });

  for (const entry of entries) {
    const { userId: user = null, tenantId: tenant = null, agentName: agent, model } = entry;
    const { tool = null, cacheMiss = null } = entry;
    const amounts = amountsOf((field) => entry[field]);
    const name = JSON.stringify([user, tenant, agent, model, tool, cacheMiss]);
    add(sums, name, { user, tenant, agent, model, tool, cacheMiss, amounts });
    if (user !== null) addTotal("user", user, amounts);
    if (tenant !== null) addTotal("tenant", tenant, amounts);
    addTotal("everyone", "", amounts);
  }
  return { sums: [...sums.values()], totals: [...totals.values()] };
}

/**
 * Makes a {@link LedgerStore} from a backend. The ledger checks the arguments of each call, sums up the entries of a
 * record, and rounds the amounts that it returns. It converts errors that the backend throws into tagged errors.
 *
 * @example
 * ```ts
 * import { defineLedger, type LedgerBackend } from "@jaf/memory/adapter";
 *
 * declare function openMyLedgerBackend(url: string): LedgerBackend;
 *
 * export const createMyLedger = (url: string) => defineLedger(openMyLedgerBackend(url));
 * ```
 */
export function defineLedger(backend: LedgerBackend): LedgerStore {
  const provider = backend.name;
  let closing: Promise<Result<void>> | undefined;

  function toError(operation: string, thrown: unknown): MemoryErrorUnion {
    const error = backend.toMemoryError?.(operation, thrown) ?? unknownError(operation, thrown);
    // The entries may have been counted, even if the reply was lost.
    return operation === "recordEntries" ? { ...error, retryable: false } : error;
  }

  function unknownError(operation: string, thrown: unknown): MemoryErrorUnion {
    // Only the name of the error's class is kept, because the driver's message may quote a key that contains an id.
    const { name } = describeCause(thrown);
    const reason = `the ledger threw ${name}.`;
    return createMemoryStorageError(operation, reason, { provider, retryable: true });
  }

  async function attempt<Input, Output>(
    { operation, path, schema }: { operation: string; path: string; schema: z.ZodType<Input> },
    given: unknown,
    action: (input: Input) => Promise<Output>,
  ): Promise<Result<Output>> {
    const checked = guarded(path, () => {
      const parsed = schema.safeParse(given);
      if (parsed.success) return { ok: true, value: parsed.data };
      const issues = schemaIssues(parsed.error);
      return { ok: false, issues: issues.map((issue) => ({ ...issue, path: `${path}${issue.path}` })) };
    });
    if (!checked.ok)
      return createFailure(createMemoryValidationError(checked.issues, { provider, operation }));
    if (closing !== undefined) {
      const hint = "this ledger was closed; create a new one";
      return createFailure(createMemoryConnectionError(provider, hint, { operation, retryable: false }));
    }
    try {
      return createSuccess(await action(checked.value));
    } catch (thrown) {
      return createFailure(toError(operation, thrown));
    }
  }

  const record = { operation: "recordEntries", path: "entries", schema: entriesSchema };
  const amounts = { operation: "readAmounts", path: "scopes", schema: scopesSchema };
  const report = { operation: "reportLedger", path: "query", schema: querySchema };
  const erasure = { operation: "eraseLedgerUser", path: "userId", schema: id };

  return {
    name: provider,
    record: (entries) =>
      attempt(record, entries, async (checked) => {
        if (checked.length > 0) await backend.record(toRecord(checked));
      }),
    amounts: (scopes) =>
      attempt(amounts, scopes, async (checked) =>
        checked.length === 0 ? [] : (await backend.amounts(checked)).map(roundAmounts),
      ),
    report: (query) =>
      attempt(report, query, async (checked) =>
        (await backend.report(present(checked))).map((row) => ({ ...row, ...roundAmounts(row) })),
      ),
    eraseUser: (userId) => attempt(erasure, userId, backend.eraseUser),
    close: () => {
      closing ??= (async () => {
        try {
          return createSuccess(await backend.close());
        } catch (thrown) {
          return createFailure(toError("closeLedger", thrown));
        }
      })();
      return closing;
    },
  };
}
