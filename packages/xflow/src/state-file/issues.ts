/** One problem of an agent state. */
export interface AgentStateIssue {
  /** Path of the field that has the problem, e.g. `tools[0].parameters`. `""` for the whole state. */
  readonly field: string;
  /** The problem's line in the text, from 1. Absent if the state was given as an object. */
  readonly line?: number;
  /** The problem's column in its line, from 1. */
  readonly column?: number;
  /** What is wrong, and which value is expected. */
  readonly message: string;
}

/**
 * The error for an invalid agent state. It has all problems of the state.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { createOpenAIProvider } from "@jaf/openai";
 * import { AgentStateError, loadAgentState } from "@jaf/xflow";
 *
 * try {
 *   await loadAgentState(await readFile("state.yaml", "utf8"), { models: { "gpt-4o": createOpenAIProvider() } });
 * } catch (error) {
 *   if (!(error instanceof AgentStateError)) throw error;
 *   for (const { line, field, message } of error.issues) console.error(line, field, message);
 * }
 * ```
 */
export class AgentStateError extends Error {
  override readonly name = "AgentStateError";
  /** The state's problems, in the order of the text. */
  readonly issues: readonly AgentStateIssue[];

  constructor(found: readonly AgentStateIssue[]) {
    const issues = found.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
    const count = issues.length === 1 ? "one problem" : `${issues.length} problems`;
    super([`Invalid agent state, ${count}:`, ...issues.map(describeIssue)].join("\n"));
    this.issues = Object.freeze(issues);
  }
}

function describeIssue({ field, line, column, message }: AgentStateIssue): string {
  const place = line === undefined ? "" : `line ${line}, column ${column}: `;
  return `  ${place}${field === "" ? "" : `${field}: `}${message}`;
}

/** The path to a field: keys of objects and indexes of lists. */
export type Path = readonly (string | number)[];

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The data of an agent state, with the positions of its fields in the text. */
export interface StateSource {
  readonly data: unknown;
  /**
   * Returns the position of a field in the text, or of its nearest existing parent. Returns `undefined` if the state wasn't
   * given as text.
   */
  readonly positionOf: (path: Path) => Position | undefined;
}

export type ReadSource =
  | { readonly ok: true; readonly source: StateSource }
  | { readonly ok: false; readonly issues: readonly AgentStateIssue[] };

/** Maximum depth and maximum number of values of a state. Both are counted after YAML aliases are resolved. */
export const MAX_DEPTH = 64;
export const MAX_VALUES = 20_000;

export const TOO_DEEP = `more than ${MAX_DEPTH} levels; an agent state needs fewer`;

export const fieldName = (path: Path): string =>
  path.reduce<string>(
    (name, step) => (typeof step === "number" ? `${name}[${step}]` : name === "" ? step : `${name}.${step}`),
    "",
  );

export function issueAt(source: StateSource, path: Path, message: string): AgentStateIssue {
  return { field: fieldName(path), ...source.positionOf(path), message };
}
