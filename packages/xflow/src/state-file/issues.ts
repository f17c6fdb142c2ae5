/** One problem of an agent state. */
export interface AgentStateIssue {
  /** The field, e.g. `tools[0].parameters`; `""` for the whole state. */
  readonly field: string;
  /** The line of the text, from 1. Absent if the state was given as an object. */
  readonly line?: number;
  /** The column in the line, from 1. */
  readonly column?: number;
  /** The problem, and the expected value. */
  readonly message: string;
}

/** The error of an invalid agent state, with all its problems in the order of the text. */
export class AgentStateError extends Error {
  override readonly name = "AgentStateError";
  /** The problems, in the order of the text. */
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

/** A path of keys and indexes. */
export type Path = readonly (string | number)[];

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The data of an agent state, and the positions of its fields in the text. */
export interface StateSource {
  readonly data: unknown;
  /** Returns the position of a field, or of its nearest existing parent; `undefined` without a text. */
  readonly positionOf: (path: Path) => Position | undefined;
}

export type ReadSource =
  | { readonly ok: true; readonly source: StateSource }
  | { readonly ok: false; readonly issues: readonly AgentStateIssue[] };

/** Size limits. Depth and values are counted after aliases are resolved. */
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
