/** What may stand within a tag as its reader sees it, beside letters: nothing that ends the tag's name. */
const FILLING =
  /^[\s\p{Control}\p{Default_Ignorable_Code_Point}\p{Mark}\p{Dash_Punctuation}/\\_\u2044\u2215]$/u;
const LETTER = /^[a-z]$/;
/** Signs that look like `<` and don't become it by normalising: quotation marks, brackets, an arrowhead, a syllable. */
const ANGLE = /^[<\u2039\u3008\u27e8\u276e\u02c2\u1438]$/u;

/** A character, or what stands for one in HTML, escaped any number of times. */
const PIECES =
  /&(?:amp;)*(?:#x(?<hex>[0-9a-f]+);?|#(?<decimal>[0-9]+);?|(?<less>lt);?|(?<other>[a-z]+);)|[\s\S]/giu;

interface Sign {
  /** `<`, a letter from a to z, or `.` for what belongs to no tag. */
  readonly sign: string;
  /** Where in the text it stands. */
  readonly start: number;
  readonly end: number;
}

/**
 * Puts a text between tags of ours, such that nothing in it reads as one of them, however it is written: in capitals,
 * with spaces, with invisible, accented or full-width characters, or as HTML entities. The bracket of what would becomes
 * a round one; everything else stays.
 */
export const fence = (tag: string, text: string): string => `<${tag}>\n${withoutTag(tag, text)}\n</${tag}>`;

function withoutTag(tag: string, text: string): string {
  const signs = signsOf(text);
  const seen = signs.map(({ sign }) => sign).join("");
  const name = tag.toLowerCase().replaceAll(/[^a-z]/g, "");
  let safe = "";
  let done = 0;
  for (const { index, 0: brackets } of seen.matchAll(new RegExp(`<+(?=${name})`, "g"))) {
    for (const { start, end } of signs.slice(index, index + brackets.length)) {
      safe += `${text.slice(done, start)}(`;
      done = Math.max(done, end);
    }
  }
  return safe + text.slice(done);
}

/** The text as a careless reader of tags sees it. */
function signsOf(text: string): readonly Sign[] {
  const signs: Sign[] = [];
  for (const { 0: piece, index, groups = {} } of text.matchAll(PIECES)) {
    for (const part of characterOf(piece, groups).normalize("NFKD").toLowerCase()) {
      const sign = signOf(part);
      if (sign !== "") signs.push({ sign, start: index, end: index + piece.length });
    }
  }
  return signs;
}

/** What a piece stands for; nothing for an entity that is neither a number nor a bracket. */
function characterOf(piece: string, groups: Readonly<Record<string, string | undefined>>): string {
  const { hex, decimal, less, other } = groups;
  if (less !== undefined) return "<";
  if (other !== undefined) return "";
  if (hex === undefined && decimal === undefined) return piece;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

function signOf(character: string): string {
  if (LETTER.test(character)) return character;
  if (ANGLE.test(character)) return "<";
  return FILLING.test(character) ? "" : ".";
}
