import { UNSPACED } from "../../text/scripts.ts";
import type { Span } from "./line.ts";

const PAIRS: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["“", "”"],
  ["„", "“”"],
  ["«", "»"],
  ["»", "«"],
  ["‹", "›"],
  ["「", "」"],
  ["『", "』"],
  ["‘", "’"],
  ["‚", "‘’"],
  ["＂", "＂"],
]);
const WORDS = 4;
/** In a script without spaces. */
const SIGNS = 8;
const LONGEST = 4_000;
const UNSPACED_CHARACTER = new RegExp(`[${UNSPACED}]`, "gu");
const MARKS = /["“”„«»‹›「」『』‘’‚＂]/gu;

/** What stands in quotation marks, over lines too; not a word or a title. */
export function quotationsIn(text: string): readonly Span[] {
  const found: Span[] = [];
  let open: { readonly at: number; readonly closing: string } | undefined;
  for (const { 0: mark, index } of text.matchAll(MARKS)) {
    const isApostrophe =
      mark === "’" && /\p{L}/u.test(text.charAt(index - 1)) && /\p{L}/u.test(text.charAt(index + 1));
    if (isApostrophe) continue;
    if (open?.closing.includes(mark) && index - open.at <= LONGEST) {
      if (isSpeech(text.slice(open.at + 1, index))) found.push({ start: open.at, end: index + 1 });
      open = undefined;
    } else if (open === undefined || index - open.at > LONGEST) {
      const closing = isMeasure(text, mark, index) ? undefined : PAIRS.get(mark);
      open = closing === undefined ? undefined : { at: index, closing };
    }
  }
  return found;
}

/** `27"` of a screen. */
const isMeasure = (text: string, mark: string, index: number): boolean =>
  mark === '"' && /[\p{N}\p{Ll}\p{Lu}]/u.test(text.charAt(index - 1));

function isSpeech(inside: string): boolean {
  const words = inside.match(/[\p{L}\p{M}\p{N}'’]+/gu) ?? [];
  if ((inside.match(UNSPACED_CHARACTER)?.length ?? 0) >= SIGNS) return true;
  if (words.length > 1 && /[.!?。！？؟।]\s*$/u.test(inside)) return true;
  return words.length >= WORDS && !isTitle(words);
}

/** All longer words of a title begin with a capital. */
const isTitle = (words: readonly string[]): boolean =>
  words.every((word) => word.length < 4 || /^[\p{Lu}\p{N}]/u.test(word)) &&
  words.some((word) => word.length > 3);
