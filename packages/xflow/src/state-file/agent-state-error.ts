/** One thing that is wrong with an agent state. */
export interface AgentStateIssue {
  /** The field, e.g. `tools[0].parameters`; `""` for the whole. */
  readonly field: string;
  /** The line of the text, from 1. Absent if the state was given as an object. */
  readonly line?: number;
  /** The column of the line, from 1. */
  readonly column?: number;
  /** What is wrong, and what is expected. */
  readonly message: string;
}

/** The agent state can't be used: all that is wrong with it, in the order of the text. */
export class AgentStateError extends Error {
  override readonly name = "AgentStateError";
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
