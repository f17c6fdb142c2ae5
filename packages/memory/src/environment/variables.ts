import type { AdapterVariable, MemoryAdapter } from "../adapter/adapter.ts";
import { ADAPTER_TYPE, ADAPTER_TYPE_RULE } from "../adapter/adapter-schema.ts";
import { parseConfig, type Setup } from "../adapter/configuration.ts";
import type { MemoryIssue } from "../errors.ts";

/** Environment variables by name, as in `process.env`. */
export type MemoryEnvironment = Readonly<Record<string, string | undefined>>;

export const TYPE_VARIABLE = "JAF_MEMORY_TYPE";

/** Empty counts as not set: that is how many tools write "none". */
export function readVariable(environment: MemoryEnvironment, name: string): string | undefined {
  const text = environment[name];
  return text === "" ? undefined : text;
}

export type EnvironmentType =
  | { readonly ok: true; readonly type: string }
  | { readonly ok: false; readonly issue: MemoryIssue };

export function readType(environment: MemoryEnvironment): EnvironmentType {
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

export interface EnvironmentConfig {
  /** The output of the adapter's schema; absent if there are issues. */
  readonly config?: object;
  /** `path` is the name of a variable. */
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
  // Unlike an assignment, this keeps a field `__proto__` a field.
  return { fields: Object.fromEntries(fields), names, issues };
}

/**
 * An adapter's configuration, checked, as its variables give it; every bad variable is named. Rejects with a
 * `MemorySetupError` if the adapter's schema throws.
 */
export async function readConfig(setup: Setup, environment: MemoryEnvironment): Promise<EnvironmentConfig> {
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
