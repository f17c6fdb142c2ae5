/** What is remembered of the user, as instructions tell it. */
export interface Remembered {
  /** The user's own words, or what the application knows. */
  readonly words: string;
  /** When it was said, e.g. `"2026-11-02"`; `""` where that isn't told. */
  readonly day: string;
}

const BEGIN = "<user-memory>\n";
const END = "\n</user-memory>";
/** Of the words of a quotation none is a double quotation mark. */
const QUOTED =
  /^(\(earlier\) )?(?:The user said|In a text that the user sent|Asked "[^"]*", the user said)(?: on (\d{4}-\d\d-\d\d))?: "([^"]*)"$/;
/** Nobody vouches for what is marked: a model worded it, a tool said it, or it no longer holds. */
const MARKED = /^\([^)]*\) /;

/**
 * What instructions tell of the user, the oldest first. What was said on one day stays in the order of the block, in which each
 * stands by when it was said for the first time.
 */
export function rememberedIn(instructions: string): readonly Remembered[] {
  const items = blockOf(instructions)
    .split("\n")
    .flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
  const read = items.flatMap((item) => {
    const [, earlier, day = "", words] = QUOTED.exec(item) ?? [];
    if (words !== undefined) return [{ words, day, isEarlier: earlier !== undefined }];
    return MARKED.test(item) ? [] : [{ words: item, day, isEarlier: false }];
  });
  return read
    .toSorted((a, b) => Number(b.isEarlier) - Number(a.isEarlier) || compareText(a.day, b.day))
    .map(({ words, day }) => ({ words, day }));
}

function blockOf(instructions: string): string {
  const begin = instructions.indexOf(BEGIN);
  const end = begin === -1 ? -1 : instructions.indexOf(END, begin + BEGIN.length);
  return end === -1 ? "" : instructions.slice(begin + BEGIN.length, end);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
