import { lazy } from "../lazy.ts";

/** The most units of UTF-16 without a break in one slice. */
const MOST = 500;

/** What no encoding parts by itself: letters with their marks, digits, white space, or signs, in a row. */
const RUNS = lazy(() => /[\p{L}\p{M}]+|\p{N}+|\s+|[^\p{L}\p{M}\p{N}\s]+/gu);

/**
 * A text in slices, each of which a tokenizer can take in time that is linear in its length: only what is longer than 500
 * units and has no break is parted. Together they are the text.
 */
export function slicesOf(text: string): readonly string[] {
  if (text.length <= MOST) return [text];
  const slices: string[] = [];
  let start = 0;
  for (const { 0: run, index } of text.matchAll(RUNS())) {
    const end = index + run.length;
    for (let cut = index + MOST; cut < end; cut += MOST) {
      if (isWithinPair(text, cut)) cut -= 1;
      slices.push(text.slice(start, cut));
      start = cut;
    }
  }
  slices.push(text.slice(start));
  return slices;
}

const isWithinPair = (text: string, cut: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(cut - 1, cut + 1));
