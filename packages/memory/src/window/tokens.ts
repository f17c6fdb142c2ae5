/** How many tokens a text is; a fraction counts as the next whole number. */
export type Tokenizer = (text: string) => number;

// In twelfths of a token, so that the sum stays a whole number.
const LETTER = 3;
const OTHER_ASCII = 8;
const BYTE = 12;

function twelfths(code: number): number {
  if (code >= 0x80) {
    if (code < 0x800) return 2 * BYTE;
    // Either half of a pair of surrogates stands for two of four bytes.
    return (code >= 0xd800 && code <= 0xdfff ? 2 : 3) * BYTE;
  }
  const letter = code | 0x20;
  return code <= 0x20 || (letter >= 0x61 && letter <= 0x7a) ? LETTER : OTHER_ASCII;
}

/**
 * The tokens of a text without a vocabulary, on the high side: a quarter for a letter of ASCII or white space, two
 * thirds for a digit or sign of ASCII, and one for each UTF-8 byte of everything else, more than which no
 * tokenizer that works on bytes makes. `docs/windows.md` has measurements.
 */
export const estimateTokens: Tokenizer = (text) => {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum += twelfths(text.charCodeAt(index));
  return Math.ceil(sum / 12);
};

/** A fraction counts as the next whole number. Throws a `TypeError` if the tokenizer returns no number from 0. */
export function countText(tokenizer: Tokenizer, text: string): number {
  if (text === "") return 0;
  const tokens: unknown = tokenizer(text);
  if (typeof tokens === "number" && tokens >= 0 && Number.isFinite(tokens)) return Math.ceil(tokens);
  throw new TypeError("Invalid tokenizer: expected it to return a finite number from 0.");
}
