import { schemaIssues } from "../codec/schema-issues.ts";
import { createMemoryStorageError, describeCause, type MemoryIssue } from "../errors.ts";
import { MemorySetupError } from "../setup-error.ts";
import type { MemoryAdapter } from "./adapter.ts";

/** `field`: the field of the configuration; absent if the configuration as a whole is wrong. */
export interface ConfigIssue extends MemoryIssue {
  readonly field?: PropertyKey;
}

export type ParsedConfig =
  | { readonly ok: true; readonly config: object }
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] };

export interface Setup {
  readonly adapter: MemoryAdapter;
  /** The factory, for errors. */
  readonly operation: string;
}

/** The name and code of what an adapter threw. Its message may quote the configuration. */
export function adapterFailure({ adapter, operation }: Setup, doing: string, thrown: unknown) {
  const { name, code } = describeCause(thrown);
  const reason = `the adapter of type "${adapter.type}" threw while it ${doing} (${name}${code === undefined ? "" : `, ${code}`}), instead of rejecting with a MemorySetupError.`;
  return new MemorySetupError(createMemoryStorageError(operation, reason, { provider: adapter.type }));
}

/** The configuration as the adapter's schema gives it. Rejects with a `MemorySetupError` if the schema throws. */
export async function parseConfig(setup: Setup, config: unknown): Promise<ParsedConfig> {
  const { configSchema, environment } = setup.adapter;
  const secrets = new Set<PropertyKey>(
    Object.values(environment).flatMap(({ field, secret }) => (secret === true ? [field] : [])),
  );
  try {
    const parsed = await configSchema.safeParseAsync(config);
    if (parsed.success) return { ok: true, config: parsed.data };
    const issues = schemaIssues(parsed.error).map((issue) =>
      // A message written by the adapter may quote the value.
      issue.field !== undefined && secrets.has(issue.field) ? { ...issue, expected: "another value" } : issue,
    );
    return { ok: false, issues };
  } catch (thrown) {
    throw adapterFailure(setup, "checked its configuration", thrown);
  }
}
