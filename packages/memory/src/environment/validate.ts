import type { AdapterVariable, MemoryAdapter } from "../adapter/adapter.ts";
import { inMemoryAdapter } from "../adapter/built-in.ts";
import { findAdapter } from "../adapter/lookup.ts";
import { describeCause } from "../errors.ts";
import { processEnvironment } from "../platform/process.ts";
import type { EnvironmentReport, EnvironmentVariable } from "./report.ts";
import {
  type EnvironmentConfig,
  type MemoryEnvironment,
  readConfig,
  readType,
  readVariable,
  TYPE_VARIABLE,
} from "./variables.ts";

/** No URL and no list of settings: those may hold a password although their variable wasn't declared a secret. */
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
  /** As it is without the secrets: a schema may have copied one into a default. */
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
    // One that is missing is an issue, and has no default.
    if (recommended !== true || isSet(environment, name) || states.get(name) === "missing") return [];
    const default_ = states.get(name) === "default" ? ": its default is used" : "";
    return [`${name} is not set${default_}.`];
  });
}

/** What an adapter's variables have in common, e.g. `JAF_REDIS_`. */
function commonPrefix(names: readonly string[]): string | undefined {
  const [first = "", ...others] = names;
  let end = first.length;
  for (const name of others) while (!name.startsWith(first.slice(0, end))) end -= 1;
  const prefix = first.slice(0, first.lastIndexOf("_", end - 1) + 1);
  return prefix.split("_").length > 2 ? prefix : undefined;
}

/** Variables that look like those of JAF and aren't used: misspelt, or of another type. */
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
        : `${name} is no variable of type ${adapter.type}. Known are ${[...known].join(", ")}.`,
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

/**
 * Checks the environment that `createMemoryProviderFromEnv` would read, without opening anything: which variables are
 * in effect, which are bad or missing, and which are probably misspelt. Prints nothing and never rejects; for a text,
 * see `formatEnvironmentReport`.
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
    const expected = `the type of an adapter that works: ${describeCause(thrown).message}`;
    const variables = [{ ...typeVariable(environment, type), state: "invalid" as const }];
    return { type, valid: false, variables, issues: [{ path: TYPE_VARIABLE, expected }], warnings: [] };
  }
}
