/** A row of a result. Every query casts its columns to `text`. */
// Drivers parse other types differently, and applications may replace the drivers' parsers.
export type SqlRow = Readonly<Record<string, string | null>>;

export type SqlValue = string | number | boolean | null | readonly (string | null)[] | readonly boolean[];

export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** The name under which the driver may prepare the statement. Absent: the statement isn't prepared. */
  readonly name?: string;
  /** Whether the statement may change stored data. */
  readonly writes?: true;
  /** Milliseconds after which the statement fails. Some drivers ignore this limit. */
  readonly timeoutMs?: number;
}
