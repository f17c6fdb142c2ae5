import type { AgentStateIssue } from "./agent-state-error.ts";

/** A path in data: keys and indexes. */
export type Path = readonly (string | number)[];

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** An agent state as data, and where its fields stand in the text. */
export interface StateSource {
  readonly data: unknown;
  /** Where the field stands, or if it isn't there, the nearest that holds it; `undefined` if there is no text. */
  readonly positionOf: (path: Path) => Position | undefined;
}

export type ReadSource =
  | { readonly ok: true; readonly source: StateSource }
  | { readonly ok: false; readonly issues: readonly AgentStateIssue[] };

/** The size of what is read. Depth and values are counted after aliases are resolved. */
export const MAX_DEPTH = 64;
export const MAX_VALUES = 20_000;

export const fieldName = (path: Path): string =>
  path.reduce<string>(
    (name, step) => (typeof step === "number" ? `${name}[${step}]` : name === "" ? step : `${name}.${step}`),
    "",
  );

export function issueAt(source: StateSource, path: Path, message: string): AgentStateIssue {
  return { field: fieldName(path), ...source.positionOf(path), message };
}
