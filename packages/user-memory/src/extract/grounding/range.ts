/** A part of a text, in UTF-16 units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}
