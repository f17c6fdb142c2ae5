import { fencesIn, inlineCodeIn, mattersIn, tagsIn } from "./enclosed.ts";
import { linesOf, type Span, withLineFeeds } from "./line.ts";
import { quotationsIn } from "./quotations.ts";
import { shapesIn } from "./shapes.ts";

export { announcesText } from "./enclosed.ts";
export type { Span } from "./line.ts";

const MARK = /^\s*.{3}/u;

/**
 * The parts of a user's message that are somebody else's text, decided by structure in any language: sorted, disjoint. A quoted
 * word or title isn't one, nor is a list that a colon announces. Text pasted without any mark can't be told from the user's.
 */
export function thirdPartySpans(text: string): readonly Span[] {
  const plain = withLineFeeds(text);
  const fences = fencesIn(linesOf(plain));
  // What stands in a fence says nothing of what stands beside it.
  const open = emptied(plain, fences);
  const lines = linesOf(open);
  return joined([
    ...fences,
    ...tagsIn(open),
    ...inlineCodeIn(open),
    ...quotationsIn(open),
    ...shapesIn(lines),
    ...mattersIn(plain, linesOf(plain)),
  ]);
}

/** The same text with spaces in fences, but for the beginning of each. */
function emptied(text: string, fences: readonly Span[]): string {
  let at = 0;
  const parts = fences.map(({ start, end }) => {
    const inside = start + (MARK.exec(text.slice(start, end))?.[0].length ?? 0);
    const part =
      text.slice(at, inside) + text.slice(inside, end).replace(/[^\n]/gu, (sign) => " ".repeat(sign.length));
    at = end;
    return part;
  });
  return parts.join("") + text.slice(at);
}

function joined(spans: readonly Span[]): readonly Span[] {
  const found: Span[] = [];
  for (const span of spans.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start)) {
    const last = found.at(-1);
    if (last === undefined || span.start > last.end) found.push({ start: span.start, end: span.end });
    else found[found.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return found;
}
