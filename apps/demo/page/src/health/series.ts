/** A line of a plot. */
export interface Series {
  readonly label: string;
  /** `null`: unknown there. */
  readonly values: readonly (number | null)[];
}
