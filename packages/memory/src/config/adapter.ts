import * as z from "zod";
import { parseOptions, schemaIssues } from "../codec/checks.ts";
import {
  createMemoryStorageError,
  describeCause,
  type MemoryIssue,
  MemorySetupError,
} from "../contract/errors.ts";
import type { MemoryProvider } from "../contract/provider.ts";
import type { InMemoryConfig, InMemoryProvider } from "../in-memory/provider.ts";

/** An environment variable that sets one field of an adapter's configuration. */
export interface AdapterVariable {
  /** The name of the configuration field (e.g. `"port"`). */
  readonly field: string;
  /**
   * The format of the variable's value. Default `"text"`.
   *
   * - `"number"`: a decimal number.
   * - `"boolean"`: `true`, `false`, `1`, `0`, `yes`, `no`, `on` or `off`, in upper or lower case.
   */
  readonly format?: "text" | "number" | "boolean";
  /** If `true`, reports and errors never show the variable's value. */
  readonly secret?: boolean;
  /** If `true`, `validateMemoryEnvironment` returns a warning when the variable isn't set and its default is used. */
  readonly recommended?: boolean;
  /**
   * The name of a variable that replaces this one (e.g. `"JAF_FILE_URL"`). If that variable is set, this one is neither
   * required nor used.
   */
  readonly replacedBy?: string;
}

/**
 * The export `adapter` of a backend's package. `createMemoryProvider({ type })` and `JAF_MEMORY_TYPE` find the package
 * by its name: `@jaf/memory-<type>` or `jaf-memory-<type>`. The package is searched for from the main script, and also
 * from the working folder if the package.json in the working folder declares the package. For a package with another
 * name, call `registerMemoryAdapter`.
 */
export interface MemoryAdapter<Config extends object = object, Client = unknown> {
  /**
   * The type of the backend (e.g. `"postgres"`): a lower-case letter, then up to 49 lower-case letters, digits and
   * hyphens.
   */
  readonly type: string;
  /**
   * Validates a configuration, including its `type`. `create` gets the parsed output of the schema, so the schema must
   * contain all defaults. The schema's error messages must not contain values of the configuration. The messages about
   * a field that a `secret` variable sets are never shown.
   */
  readonly configSchema: z.ZodType<Config>;
  /** The environment variables by name (e.g. `JAF_FILE_FOLDER`). */
  readonly environment: Readonly<Record<string, AdapterVariable>>;
  /**
   * Opens the provider. If `client` is given, the provider uses this client and must never close it. Otherwise the
   * provider opens its own client, and closes it in `close()`. If opening fails, reject with a `MemorySetupError`. If
   * the client is invalid, reject with a `TypeError`. Of any other error, `createMemoryProvider` only shows the name
   * and the code.
   */
  readonly create: (config: Config, client?: Client) => MemoryProvider | Promise<MemoryProvider>;
}

/**
 * The TypeScript types of each backend's configuration, client and provider, by the type of the backend (e.g.
 * `"file"`). The package of an adapter adds an entry:
 *
 * ```ts
 * import type { MemoryProvider } from "@jaf/memory";
 *
 * interface FileConfig {
 *   readonly type: "file";
 *   readonly folder: string;
 * }
 *
 * declare module "@jaf/memory" {
 *   interface MemoryAdapterTypes {
 *     file: { readonly config: FileConfig; readonly client: never; readonly provider: MemoryProvider };
 *   }
 * }
 * ```
 */
export interface MemoryAdapterTypes {
  memory: { readonly config: InMemoryConfig; readonly client: never; readonly provider: InMemoryProvider };
}

/**
 * Matches valid types of adapters. A type becomes part of a package name, so no other characters are allowed in a type.
 */
export const ADAPTER_TYPE = /^[a-z][a-z0-9-]{0,49}$/;

export const ADAPTER_TYPE_RULE =
  "a lower-case letter, then up to 49 lower-case letters, digits and hyphens, e.g. memory, redis or postgres";

const variableSchema = z.strictObject({
  field: z.string().min(1),
  format: z.enum(["text", "number", "boolean"]).optional(),
  secret: z.boolean().optional(),
  recommended: z.boolean().optional(),
  replacedBy: z.string().optional(),
});

const isSchema = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "safeParseAsync" in value &&
  typeof value.safeParseAsync === "function";

const adapterSchema = z.object({
  type: z.string().regex(ADAPTER_TYPE, { error: `expected ${ADAPTER_TYPE_RULE}` }),
  configSchema: z.custom(isSchema, { error: "expected a zod schema" }),
  environment: z.record(
    z.string().regex(/^[A-Z][A-Z0-9_]*$/, { error: "expected names such as JAF_FILE_FOLDER" }),
    variableSchema,
  ),
  create: z.custom((value) => typeof value === "function", { error: "expected a function" }),
});

/**
 * Checks that a value is a {@link MemoryAdapter}, and returns it. Throws a `TypeError` that names the invalid fields.
 */
export function parseAdapter(value: unknown): MemoryAdapter {
  parseOptions(adapterSchema, value, "memory adapter");
  return value as MemoryAdapter; // The same object: its methods may need it as `this`.
}

/** An issue of a configuration. `field` is the invalid field. Absent: the configuration as a whole is invalid. */
interface ConfigIssue extends MemoryIssue {
  readonly field?: PropertyKey;
}

export type ParsedConfig =
  | { readonly ok: true; readonly config: object }
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] };

export interface Setup {
  readonly adapter: MemoryAdapter;
  /** The name of the factory that errors show (e.g. `createMemoryProvider`). */
  readonly operation: string;
}

/** Returns the error for an adapter that threw. `doing` completes the sentence "threw while it …". */
export function adapterFailure({ adapter, operation }: Setup, doing: string, thrown: unknown) {
  // Only the name and the code of the thrown error are kept, because its message may quote the configuration.
  const { name, code } = describeCause(thrown);
  const reason = `the adapter of type "${adapter.type}" threw while it ${doing} (${name}${code === undefined ? "" : `, ${code}`}), instead of rejecting with a MemorySetupError.`;
  return new MemorySetupError(createMemoryStorageError(operation, reason, { provider: adapter.type }));
}

/**
 * Parses a configuration with the adapter's schema. Returns the parsed configuration or the issues. Rejects with a
 * `MemorySetupError` if the schema throws.
 */
export async function parseConfig(setup: Setup, config: unknown): Promise<ParsedConfig> {
  const { configSchema, environment } = setup.adapter;
  const secrets = new Set<PropertyKey>(
    Object.values(environment).flatMap(({ field, secret }) => (secret === true ? [field] : [])),
  );
  try {
    const parsed = await configSchema.safeParseAsync(config);
    if (parsed.success) return { ok: true, config: parsed.data };
    const issues = schemaIssues(parsed.error).map((issue) =>
      // The adapter's message about a secret field may quote the secret value, so the message is replaced.
      issue.field !== undefined && secrets.has(issue.field) ? { ...issue, expected: "another value" } : issue,
    );
    return { ok: false, issues };
  } catch (thrown) {
    throw adapterFailure(setup, "checked its configuration", thrown);
  }
}
