import type { MemoryIssue } from "../errors.ts";

/**
 * `"set"`: used as it is. `"default"`: not set, and the adapter has a default. `"unset"`: not set and not needed.
 * `"missing"`: not set and needed. `"invalid"`: set to something that can't be used. `"replaced"`: another
 * variable replaces it.
 */
export type VariableState = "set" | "default" | "unset" | "missing" | "invalid" | "replaced";

export interface EnvironmentVariable {
  readonly name: string;
  readonly state: VariableState;
  /**
   * The effective value; absent if there is none, for a secret, for text that may hold one (a URL, `key=value`), and for
   * a default that depends on one.
   */
  readonly value?: string;
  readonly secret: boolean;
}

/** The result of `validateMemoryEnvironment`. */
export interface EnvironmentReport {
  /** The type of backend; absent if `JAF_MEMORY_TYPE` is invalid. */
  readonly type?: string;
  /** Whether `createMemoryProviderFromEnv` would get as far as opening the store. */
  readonly valid: boolean;
  readonly variables: readonly EnvironmentVariable[];
  /** What has to be changed; `path` is the name of a variable. */
  readonly issues: readonly MemoryIssue[];
  /** Settings that are valid and may be mistakes. */
  readonly warnings: readonly string[];
}

function formatVariable({ name, state, value, secret }: EnvironmentVariable): string {
  const shown = secret && state === "set" ? "(secret)" : (value ?? "");
  return `  ${name}: ${state}${shown === "" ? "" : `, ${shown}`}`;
}

/** The report as text for people. Contains no secret. */
export function formatEnvironmentReport(report: EnvironmentReport): string {
  return [
    `Memory type: ${report.type ?? "unknown"}`,
    ...report.variables.map(formatVariable),
    ...report.warnings.map((warning) => `Warning: ${warning}`),
    ...report.issues.map(({ path, expected }) => `Error: ${path}: expected ${expected}`),
    report.valid ? "The environment is valid." : "The environment is not valid.",
  ].join("\n");
}
