// Marks in a text, e.g. of its sources: a number between two characters that the text itself can't have.

/** A number to show in a text, before the character at the position `at`. */
export interface Mark {
  readonly at: number;
  readonly number: number;
}

// The thin space ends an address before the mark.
const MARK = /\u2009\uE000(\d+)\uE001/g;

/** Returns the text with the marks in it. */
export function marked(text: string, marks: readonly Mark[]): string {
  const own = text.replaceAll(/[\uE000\uE001]/g, "\ufffd");
  let from = 0;
  const pieces = marks
    .toSorted((a, b) => a.at - b.at || a.number - b.number)
    .map(({ at, number }) => {
      const piece = `${own.slice(from, at)}\u2009\uE000${number}\uE001`;
      from = at;
      return piece;
    });
  return pieces.join("") + own.slice(from);
}

/** Returns a marked text without its marks. */
export const unmarked = (text: string): string => text.replaceAll(MARK, "");

/** Returns the pieces of a marked text: texts, and the numbers between them. */
export const splitAtMarks = (text: string): readonly (string | number)[] =>
  text
    .split(MARK)
    .map((piece, index) => (index % 2 === 0 ? piece : Number(piece)))
    .filter((piece) => piece !== "");
