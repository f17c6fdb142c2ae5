import {
  createMemoryValidationError,
  describeCause,
  type MemoryIssue,
  MemorySetupError,
} from "../contract/errors.ts";
import type { MemoryProvider } from "../contract/provider.ts";
import { processEnvironment } from "../runtime/process.ts";
import {
  ADAPTER_TYPE,
  ADAPTER_TYPE_RULE,
  type AdapterVariable,
  type MemoryAdapter,
  parseConfig,
  type Setup,
} from "./adapter.ts";
import { findAdapter, inMemoryAdapter } from "./discovery.ts";
import { type MemoryClients, openProvider } from "./factory.ts";

/** Environment variables by name, as in `process.env`. */
export type MemoryEnvironment = Readonly<Record<string, string | undefined>>;

const OPERATION = "createMemoryProviderFromEnv";

const invalid = (issues: readonly MemoryIssue[], provider: string) =>
  new MemorySetupError(createMemoryValidationError(issues, { operation: OPERATION, provider }));

/**
 * Opens the provider that the environment variables configure. `JAF_MEMORY_TYPE` (default `memory`) is the type of the
 * backend. The backend's adapter declares the other variables. Empty variables count as not set. If `clients` contains
 * an open client under the type, the provider uses this client and never closes it.
 *
 * Rejects with a `MemorySetupError` if the provider can't be opened. If variables are missing or invalid, the `error`
 * of the `MemorySetupError` is a `MemoryValidationError`. It has an issue for each such variable, with the variable's
 * name but without its value.
 *
 * @example
 * ```ts
 * import { createMemoryProviderFromEnv } from "@jaf/memory";
 *
 * const provider = await createMemoryProviderFromEnv();
 * const health = await provider.healthCheck();
 * if (!health.success || !health.data.healthy) console.warn("The memory store can't be reached.");
 * ```
 */
export async function createMemoryProviderFromEnv(
  clients: MemoryClients = {},
  environment: MemoryEnvironment = processEnvironment(),
): Promise<MemoryProvider> {
  const read = readType(environment);
  if (!read.ok) throw invalid([read.issue], "unknown");
  const adapter = await findAdapter({ type: read.type, operation: OPERATION });
  const setup = { adapter, operation: OPERATION };
  const { config, issues } = await readConfig(setup, environment);
  if (config === undefined) throw invalid(issues, read.type);
  return openProvider(setup, config, clients);
}

/**
 * Whether a variable is set, and whether its value is used:
 *
 * - `"set"`: the variable's value is used.
 * - `"default"`: the variable is not set, and the adapter's default is used.
 * - `"unset"`: the variable is not set, and it isn't required.
 * - `"missing"`: the variable is not set, but it is required.
 * - `"invalid"`: the variable has an invalid value.
 * - `"replaced"`: the variable that `AdapterVariable.replacedBy` names is set and used instead of this one.
 */
export type VariableState = "set" | "default" | "unset" | "missing" | "invalid" | "replaced";

/** A variable in an {@link EnvironmentReport}. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly state: VariableState;
  /**
   * The value that is used: the value of the variable or the adapter's default. Absent in four cases:
   *
   * - There is no value.
   * - The value is a secret.
   * - The value is a text that may contain a secret (a URL, `key=value`).
   * - The value is a default that depends on a secret.
   */
  readonly value?: string;
  readonly secret: boolean;
}

/** The result of `validateMemoryEnvironment`. */
export interface EnvironmentReport {
  /** The type of the backend. Absent if `JAF_MEMORY_TYPE` is invalid. */
  readonly type?: string;
  /**
   * Whether no variable is invalid or missing. If `false`, `createMemoryProviderFromEnv` rejects without opening a
   * store.
   */
  readonly valid: boolean;
  readonly variables: readonly EnvironmentVariable[];
  /** What must be changed in the environment. The `path` of an issue is the name of a variable. */
  readonly issues: readonly MemoryIssue[];
  /** Texts about settings that are valid but may be mistakes (e.g. a misspelt variable name). */
  readonly warnings: readonly string[];
}

/**
 * Checks the environment variables for `createMemoryProviderFromEnv` without opening a store. The report says which
 * variables are used, invalid, missing or probably misspelt. Prints nothing and never rejects;
 * `formatEnvironmentReport` converts the report into text.
 *
 * @example
 * ```ts
 * import { formatEnvironmentReport, validateMemoryEnvironment } from "@jaf/memory";
 *
 * const report = await validateMemoryEnvironment();
 * if (!report.valid || report.warnings.length > 0) console.warn(formatEnvironmentReport(report));
 * ```
 */
export async function validateMemoryEnvironment(
  environment: MemoryEnvironment = processEnvironment(),
): Promise<EnvironmentReport> {
  const read = readType(environment);
  if (!read.ok) {
    const variables = [{ name: TYPE_VARIABLE, state: "invalid", secret: false }] as const;
    return { valid: false, variables, issues: [read.issue], warnings: [] };
  }
  const { type } = read;
  try {
    return await report(environment, type);
  } catch (thrown) {
    const expected = `the type of a working adapter: ${describeCause(thrown).message}`;
    const variables = [{ ...typeVariable(environment, type), state: "invalid" as const }];
    return { type, valid: false, variables, issues: [{ path: TYPE_VARIABLE, expected }], warnings: [] };
  }
}

/**
 * Converts a report into readable text. The text contains no secrets.
 *
 * @example
 * ```ts
 * import { formatEnvironmentReport, validateMemoryEnvironment } from "@jaf/memory";
 *
 * console.log(formatEnvironmentReport(await validateMemoryEnvironment({ JAF_MEMORY_TYPE: "memory" })));
 * ```
 */
export function formatEnvironmentReport(report: EnvironmentReport): string {
  return [
    `Memory type: ${report.type ?? "unknown"}`,
    ...report.variables.map(formatVariable),
    ...report.warnings.map((warning) => `Warning: ${warning}`),
    ...report.issues.map(({ path, expected }) => `Error: ${path}: expected ${expected}`),
    report.valid ? "The environment is valid." : "The environment is not valid.",
  ].join("\n");
}

function formatVariable({ name, state, value, secret }: EnvironmentVariable): string {
  const shown = secret && state === "set" ? "(secret)" : (value ?? "");
  return `  ${name}: ${state}${shown === "" ? "" : `, ${shown}`}`;
}

const TYPE_VARIABLE = "JAF_MEMORY_TYPE";

/** Returns the value of a variable, or `undefined` if it isn't set or is empty. */
function readVariable(environment: MemoryEnvironment, name: string): string | undefined {
  const text = environment[name];
  return text === "" ? undefined : text;
}

type EnvironmentType =
  | { readonly ok: true; readonly type: string }
  | { readonly ok: false; readonly issue: MemoryIssue };

function readType(environment: MemoryEnvironment): EnvironmentType {
  const type = readVariable(environment, TYPE_VARIABLE)?.trim() || "memory";
  if (ADAPTER_TYPE.test(type)) return { ok: true, type };
  return { ok: false, issue: { path: TYPE_VARIABLE, expected: ADAPTER_TYPE_RULE } };
}

const DECIMAL = /^[+-]?\d+(\.\d+)?$/;

const TRUE = /^(true|1|yes|on)$/i;

const FALSE = /^(false|0|no|off)$/i;

type Parsed = { readonly value: unknown } | { readonly expected: string };

function parseText(text: string, format: AdapterVariable["format"] = "text"): Parsed {
  if (format === "text") return { value: text };
  const word = text.trim();
  if (format === "number")
    return DECIMAL.test(word) ? { value: Number(word) } : { expected: "a decimal number" };
  if (TRUE.test(word)) return { value: true };
  return FALSE.test(word) ? { value: false } : { expected: "true or false" };
}

interface EnvironmentConfig {
  /** The parsed configuration from the adapter's schema. Absent if there are issues. */
  readonly config?: object;
  /** What is invalid or missing. The `path` of an issue is the name of a variable. */
  readonly issues: readonly MemoryIssue[];
}

function readFields(adapter: MemoryAdapter, environment: MemoryEnvironment) {
  const fields = new Map<string, unknown>([["type", adapter.type]]);
  const names = new Map<PropertyKey, string>();
  const issues: MemoryIssue[] = [];
  for (const [name, { field, format }] of Object.entries(adapter.environment)) {
    const text = readVariable(environment, name);
    if (text === undefined) {
      if (!names.has(field)) names.set(field, name);
      continue;
    }
    names.set(field, name);
    const parsed = parseText(text, format);
    if ("expected" in parsed) issues.push({ path: name, expected: parsed.expected });
    else fields.set(field, parsed.value);
  }
  // `Object.fromEntries` also stores a field that is named `__proto__`. An assignment would change the prototype
  // instead.
  return { fields: Object.fromEntries(fields), names, issues };
}

/**
 * Reads an adapter's configuration from its variables and checks it. Returns the configuration, or an issue for each
 * invalid variable. Rejects with a `MemorySetupError` if the adapter's schema throws.
 */
async function readConfig(setup: Setup, environment: MemoryEnvironment): Promise<EnvironmentConfig> {
  const { fields, names, issues } = readFields(setup.adapter, environment);
  const parsed = await parseConfig(setup, fields);
  if (parsed.ok) return issues.length === 0 ? { config: parsed.config, issues } : { issues };
  const bad = new Set(issues.map(({ path }) => path));
  for (const { field, path, expected } of parsed.issues) {
    const name = field === undefined ? undefined : names.get(field);
    if (name === undefined) issues.push({ path: `config${path}`, expected });
    else if (readVariable(environment, name) === undefined)
      issues.push({ path: name, expected: "to be set" });
    else if (!bad.has(name)) issues.push({ path: name, expected });
  }
  return { issues };
}

/** Matches values that reports may show. URLs and `key=value` don't match, because they may contain a password. */
const PLAIN_TEXT = /^(?!.*:\/\/)[\p{L}\p{N} _.,:/\\~+-]*$/u;

const isShown = (value: unknown): value is string | number | boolean =>
  typeof value === "number" ||
  typeof value === "boolean" ||
  (typeof value === "string" && PLAIN_TEXT.test(value));

const valueInEffect = ({ config }: EnvironmentConfig, { field }: AdapterVariable): unknown =>
  config !== undefined && Object.hasOwn(config, field) ? Reflect.get(config, field) : undefined;

interface Context {
  readonly environment: MemoryEnvironment;
  readonly read: EnvironmentConfig;
  /**
   * The configuration that results without the secret variables. A default that is different in it depends on a secret,
   * so reports must not show this default.
   */
  readonly withoutSecrets: EnvironmentConfig;
}

const isSet = (environment: MemoryEnvironment, name: string | undefined): boolean =>
  name !== undefined && readVariable(environment, name) !== undefined;

function describeVariable(
  name: string,
  variable: AdapterVariable,
  { environment, read, withoutSecrets }: Context,
): EnvironmentVariable {
  const text = readVariable(environment, name);
  const secret = variable.secret ?? false;
  const hasIssue = read.issues.some(({ path }) => path === name);
  if (hasIssue) return { name, state: text === undefined ? "missing" : "invalid", secret };
  if (isSet(environment, variable.replacedBy)) return { name, state: "replaced", secret };
  const value = text ?? valueInEffect(read, variable);
  const safe = !secret && (text !== undefined || value === valueInEffect(withoutSecrets, variable));
  const shown = safe && isShown(value) ? { value: String(value) } : {};
  if (text !== undefined) return { name, state: "set", ...shown, secret };
  return { name, state: value === undefined ? "unset" : "default", ...shown, secret };
}

function declaredWarnings(
  { environment: declared }: MemoryAdapter,
  variables: readonly EnvironmentVariable[],
  environment: MemoryEnvironment,
): string[] {
  const states = new Map(variables.map(({ name, state }) => [name, state]));
  return Object.entries(declared).flatMap(([name, { recommended, replacedBy }]) => {
    if (isSet(environment, replacedBy)) {
      return isSet(environment, name) ? [`${name} has no effect: ${replacedBy} is set.`] : [];
    }
    // A missing required variable is already reported as an issue.
    if (recommended !== true || isSet(environment, name) || states.get(name) === "missing") return [];
    const default_ = states.get(name) === "default" ? ": its default is used" : "";
    return [`${name} is not set${default_}.`];
  });
}

/**
 * Returns the prefix that the names of all variables of an adapter share (e.g. `JAF_REDIS_`). Returns `undefined` if
 * the common prefix has fewer than two words.
 */
function commonPrefix(names: readonly string[]): string | undefined {
  const [first = "", ...others] = names;
  let end = first.length;
  for (const name of others) while (!name.startsWith(first.slice(0, end))) end -= 1;
  const prefix = first.slice(0, first.lastIndexOf("_", end - 1) + 1);
  return prefix.split("_").length > 2 ? prefix : undefined;
}

/**
 * Returns warnings about variables whose names look like names of JAF's variables, but that aren't used: misspelt
 * names, and variables of another backend type.
 */
function unknownVariableWarnings(adapter: MemoryAdapter, environment: MemoryEnvironment): string[] {
  const builtIn = Object.keys(inMemoryAdapter.environment);
  const known = new Set([TYPE_VARIABLE, ...Object.keys(adapter.environment)]);
  const prefixes = new Set(["JAF_MEMORY_", commonPrefix(Object.keys(adapter.environment)) ?? "JAF_MEMORY_"]);
  return Object.keys(environment)
    .filter((name) => isSet(environment, name) && !known.has(name))
    .filter((name) => [...prefixes].some((prefix) => name.startsWith(prefix)))
    .sort()
    .map((name) =>
      builtIn.includes(name)
        ? `${name} has no effect with type ${adapter.type}.`
        : `${name} is not a variable of type ${adapter.type}. Known variables: ${[...known].join(", ")}.`,
    );
}

function typeVariable(environment: MemoryEnvironment, type: string): EnvironmentVariable {
  const state = isSet(environment, TYPE_VARIABLE) ? "set" : "default";
  return { name: TYPE_VARIABLE, state, value: type, secret: false };
}

async function report(environment: MemoryEnvironment, type: string): Promise<EnvironmentReport> {
  const operation = "validateMemoryEnvironment";
  const adapter = await findAdapter({ type, operation });
  const secrets = Object.entries(adapter.environment).filter(([, { secret }]) => secret);
  const harmless = { ...environment, ...Object.fromEntries(secrets.map(([name]) => [name, undefined])) };
  const read = await readConfig({ adapter, operation }, environment);
  const withoutSecrets = await readConfig({ adapter, operation }, harmless);
  const variables = Object.entries(adapter.environment).map(([name, variable]) =>
    describeVariable(name, variable, { environment, read, withoutSecrets }),
  );
  return {
    type,
    valid: read.issues.length === 0,
    variables: [typeVariable(environment, type), ...variables],
    issues: read.issues,
    warnings: [
      ...declaredWarnings(adapter, variables, environment),
      ...unknownVariableWarnings(adapter, environment),
    ],
  };
}
