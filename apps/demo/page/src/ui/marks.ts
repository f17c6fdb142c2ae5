// Marks in a text, e.g. of its sources: a number between two characters that the text itself can't have.

/** A number to show in a text, before the character at the position `at`. */
export interface Mark {
  readonly at: number;
  readonly number: number;
}

// The thin space ends an address before the mark.
const MARK = /\u2009\uE000(\d+)\uE001/g;

/** Returns the text with the marks in it. */
export const marked = (text: string, marks: readonly Mark[]): string =>
  // From the end on, so that the positions before it stay.
  marks
    .toSorted((a, b) => b.at - a.at || b.number - a.number)
    .reduce(
      (whole, { at, number }) => `${whole.slice(0, at)}\u2009\uE000${number}\uE001${whole.slice(at)}`,
      text.replaceAll(/[\uE000\uE001]/g, "\ufffd"),
    );

/** Returns a marked text without its marks. */
export const unmarked = (text: string): string => text.replaceAll(MARK, "");

/** Returns the pieces of a marked text: texts, and the numbers between them. */
export const splitAtMarks = (text: string): readonly (string | number)[] =>
  text
    .split(MARK)
    .map((piece, index) => (index % 2 === 0 ? piece : Number(piece)))
    .filter((piece) => piece !== "");
