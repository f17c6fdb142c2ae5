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

/** An environment variable of an adapter. It sets one field of the configuration. */
export interface AdapterVariable {
  /** The field of the configuration, e.g. `"port"`. */
  readonly field: string;
  /**
   * The format of its value. `"number"`: a decimal number. `"boolean"`: `true`, `false`, `1`, `0`, `yes`, `no`, `on` or
   * `off`, in any case. Default `"text"`.
   */
  readonly format?: "text" | "number" | "boolean";
  /** If `true`, reports and errors never show its value. */
  readonly secret?: boolean;
  /** If `true`, `validateMemoryEnvironment` warns if it isn't set and its default is used. */
  readonly recommended?: boolean;
  /** A variable that replaces this one, e.g. `"JAF_FILE_URL"`. If it is set, this one is neither required nor used. */
  readonly replacedBy?: string;
}

/**
 * The `adapter` export of a backend's package. `createMemoryProvider({ type })` and `JAF_MEMORY_TYPE` find it by the
 * package name, `@jaf/memory-<type>` or `jaf-memory-<type>`: from the main script, or from the working folder if its
 * package.json declares the package. For other package names, use `registerMemoryAdapter`.
 */
export interface MemoryAdapter<Config extends object = object, Client = unknown> {
  /** A lower-case letter, then up to 49 lower-case letters, digits and hyphens. */
  readonly type: string;
  /**
   * Validates a configuration, including its `type`. `create` gets its output, so put all defaults here. Messages must
   * not contain values; messages for a field of a secret variable are never shown.
   */
  readonly configSchema: z.ZodType<Config>;
  /** The variables by name, e.g. `JAF_FILE_FOLDER`. */
  readonly environment: Readonly<Record<string, AdapterVariable>>;
  /**
   * Opens the provider. It must never close a client that is passed in. Without a client, the provider opens its own
   * and closes it in `close()`. Rejects with a `MemorySetupError`, or with a `TypeError` for an invalid client. For all
   * other errors, the factories only show the name and the code.
   */
  readonly create: (config: Config, client?: Client) => MemoryProvider | Promise<MemoryProvider>;
}

/**
 * The types of each backend's configuration, client and provider. Each adapter adds its own:
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

/** Restricts types, so a type can only form a package name of the convention. */
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

/** Throws a `TypeError` that names the fields that don't match {@link MemoryAdapter}. */
export function parseAdapter(value: unknown): MemoryAdapter {
  parseOptions(adapterSchema, value, "memory adapter");
  return value as MemoryAdapter; // The same object: its methods may need it as `this`.
}

/** `field` is the field of the configuration. Absent if the whole configuration is invalid. */
interface ConfigIssue extends MemoryIssue {
  readonly field?: PropertyKey;
}

export type ParsedConfig =
  | { readonly ok: true; readonly config: object }
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] };

export interface Setup {
  readonly adapter: MemoryAdapter;
  /** The factory's name in errors. */
  readonly operation: string;
}

/**
 * Returns the error of an adapter that threw, with only the name and code of the thrown error: its message may quote
 * the configuration.
 */
export function adapterFailure({ adapter, operation }: Setup, doing: string, thrown: unknown) {
  const { name, code } = describeCause(thrown);
  const reason = `the adapter of type "${adapter.type}" threw while it ${doing} (${name}${code === undefined ? "" : `, ${code}`}), instead of rejecting with a MemorySetupError.`;
  return new MemorySetupError(createMemoryStorageError(operation, reason, { provider: adapter.type }));
}

/** Parses a configuration with the adapter's schema. Rejects with a `MemorySetupError` if the schema throws. */
export async function parseConfig(setup: Setup, config: unknown): Promise<ParsedConfig> {
  const { configSchema, environment } = setup.adapter;
  const secrets = new Set<PropertyKey>(
    Object.values(environment).flatMap(({ field, secret }) => (secret === true ? [field] : [])),
  );
  try {
    const parsed = await configSchema.safeParseAsync(config);
    if (parsed.success) return { ok: true, config: parsed.data };
    const issues = schemaIssues(parsed.error).map((issue) =>
      // The adapter's own message may quote the value.
      issue.field !== undefined && secrets.has(issue.field) ? { ...issue, expected: "another value" } : issue,
    );
    return { ok: false, issues };
  } catch (thrown) {
    throw adapterFailure(setup, "checked its configuration", thrown);
  }
}
