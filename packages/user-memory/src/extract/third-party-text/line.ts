/** A part of a text, in UTF-16 units; `end` is behind its last one. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A line without its break; `end` is behind its last sign. */
export interface Line extends Span {
  readonly text: string;
}

/** With one kind of line break, and everything else where it was. */
export const withLineFeeds = (text: string): string =>
  text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/gu, (found) => "\n".padStart(found.length));

export function linesOf(text: string): readonly Line[] {
  let start = 0;
  return text.split("\n").map((line) => {
    const found = { start, end: start + line.length, text: line };
    start = found.end + 1;
    return found;
  });
}

export const isBlank = ({ text }: Line): boolean => text.trim() === "";
