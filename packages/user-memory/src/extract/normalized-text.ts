import { UNSPACED } from "../text/scripts.ts";
import type { Span } from "./third-party-text/index.ts";

interface Found {
  /** In the text as it stands. */
  readonly span: Span;
  /** In the normalized text: where to search on. */
  readonly end: number;
}

/** A text's letters and digits alone, and where each of them stands. */
export interface NormalizedText {
  readonly text: string;
  /** The next match of a normalized text, as whole words, from an offset in this one on. */
  readonly next: (wanted: string, from: number) => Found | undefined;
  /** Its first matches. */
  readonly all: (wanted: string) => readonly Span[];
}

/** A text with more matches than this was made to have them. */
const MAX_MATCHES = 32;
const MAX_TRIES = 1_000;
const LETTER = /[\p{L}\p{N}]/u;
/** In these scripts no space tells where a word begins. */
const DENSE = new RegExp(String.raw`[${UNSPACED}\p{sc=Hangul}]`, "u");

/** In small letters, without accents, and with one form of each letter (NFKD, the marks left out). */
export function normalizeText(text: string): NormalizedText {
  const units: string[] = [];
  const starts: number[] = [];
  let at = 0;
  const letter = LETTER;
  for (const character of text) {
    for (const unit of character.normalize("NFKD").toLowerCase()) {
      if (!letter.test(unit)) continue;
      units.push(unit);
      for (let index = 0; index < unit.length; index++) starts.push(at);
    }
    at += character.length;
  }
  const normalized = units.join("");

  const isWithinWord = (offset: number): boolean => {
    const [before, after] = [characterAt(text, offset - 1), characterAt(text, offset)];
    return LETTER.test(before) && LETTER.test(after) && !DENSE.test(before) && !DENSE.test(after);
  };
  const next = (wanted: string, from: number): Found | undefined => {
    for (
      let index = normalized.indexOf(wanted, from), tries = 0;
      index !== -1 && tries < MAX_TRIES;
      tries++
    ) {
      const start = starts[index] ?? 0;
      const end = endOf(text, starts[index + wanted.length - 1] ?? 0);
      if (!isWithinWord(start) && !isWithinWord(end))
        return { span: { start, end }, end: index + wanted.length };
      index = normalized.indexOf(wanted, index + 1);
    }
    return undefined;
  };
  return {
    text: normalized,
    next,
    all: (wanted) => {
      const spans: Span[] = [];
      for (let found = next(wanted, 0); found && spans.length < MAX_MATCHES; found = next(wanted, found.end))
        spans.push(found.span);
      return spans;
    },
  };
}

const characterAt = (text: string, index: number): string => {
  const code = text.codePointAt(index);
  return code === undefined ? "" : String.fromCodePoint(code);
};

const endOf = (text: string, start: number): number => start + characterAt(text, start).length;
