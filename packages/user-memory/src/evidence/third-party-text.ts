import { isBlank, type Line, linesOf, type Span, UNSPACED, withLineFeeds } from "../text.ts";
import { shapesIn } from "./line-shapes.ts";

const MARK = /^\s*.{3}/u;

/**
 * Finds third-party text in a user's message by its structure, e.g. code fences and mail headers. Returns sorted ranges
 * that don't overlap.
 */
export function thirdPartySpans(text: string): readonly Span[] {
  // Pasted text without structure isn't found. Titles and single words in quotation marks, and lists after a colon,
  // count as the user's own.
  const plain = withLineFeeds(text);
  const fences = fencesIn(linesOf(plain));
  // The content of a fence says nothing about the text around it.
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

/** Replaces the content of code fences with spaces. The beginning of each fence (e.g. three backticks) stays. */
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

/** Finds fenced code. A fence that isn't closed ends at the end of the text. */
function fencesIn(lines: readonly Line[]): readonly Span[] {
  const found: Span[] = [];
  let open: { readonly start: number; readonly fence: string } | undefined;
  for (const { start, end, text } of lines) {
    const fence = /^\s{0,20}(`{3}|~{3}|"{3}|'{3})/u.exec(text)?.[1];
    if (fence === undefined) continue;
    if (open === undefined) open = { start, fence };
    else if (open.fence === fence) {
      found.push({ start: open.start, end });
      open = undefined;
    }
  }
  const end = lines.at(-1)?.end ?? 0;
  return open === undefined ? found : [...found, { start: open.start, end }];
}

/** Finds text with markup tags: from the first tag to the last tag. */
function tagsIn(text: string): readonly Span[] {
  // If the last tag isn't a closing tag, the range ends at the end of the text.
  const tags = [...text.matchAll(/<\/?([\p{L}_][\w:-]{0,40})(?:\s[^<>\n]{0,200})?\/?>/gu)];
  const [first, last] = [tags[0], tags.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [{ start: first.index, end: last[0].startsWith("</") ? last.index + last[0].length : text.length }];
}

/** Finds inline code (in backticks) of several words. */
// Inline code of a single word is usually a name in the user's own sentence.
const inlineCodeIn = (text: string): readonly Span[] =>
  [...text.matchAll(/`[^`\n]{1,500}`/gu)].flatMap(({ 0: code, index }) =>
    /\S\s+\S/u.test(code.slice(1, -1)) ? [{ start: index, end: index + code.length }] : [],
  );

const MAX_WORDS = 15;
/** Matches the beginning of a request for work on a text, e.g. `translate` or `summarize`. */
const TASK =
  /^\W{0,3}(?:(?:please|pls|can you|could you|bitte|kannst du|peux-tu|puedes|por favor|puoi|請|请|帮我)[ ,]{0,2}){0,2}(?:translate|summari[sz]e|proofread|shorten|condense|rewrite|rephrase|paraphrase|repeat|explain|correct|übersetz|fasse|kürz|korrigier|wiederhol|umformulier|tradui|résume|abrège|raccourci|corrige|répète|reformule|traduc|resume|acorta|reescrib|repite|riassum|accorcia|ripeti|resum|traduz|encurta|reescrev|repit|vertaal|verkort|vat|herhaal|przetłumacz|streść|skróć|переведи|перескажи|сократи|повтори|çevir|özetle|kısalt|翻译|翻譯|总结|缩短|總結|改写|翻訳|要約|校正|번역|요약|줄여|अनुवाद|ترجم|لخص)/iu;

/** Whether a user's message announces third-party text in the user's next message, e.g. `Translate this:`. */
export function announcesText(previous: string): boolean {
  const message = previous.trim();
  if (message.length > 2_000) return false;
  if (/[:：]$/u.test(message)) return true;
  return message.split(/\s+/u).length <= MAX_WORDS && TASK.test(message);
}

/** Finds the text that a request such as `Translate this:` is about. */
function mattersIn(text: string, lines: readonly Line[]): readonly Span[] {
  // A request in the first line: the text after its colon or, without a colon, after the line. A request in the last
  // line: the text before the line.
  const filled = lines.filter((line) => !isBlank(line));
  const [first, last] = [filled[0], filled.at(-1)];
  if (first === undefined || last === undefined) return [];
  const found: Span[] = [];
  const head = first.text.slice(0, 200);
  if (TASK.test(head)) {
    const colon = head.search(/[:：]/u);
    if (colon >= 0) found.push({ start: first.start + colon + 1, end: text.length });
    else if (first !== last && announcesText(head)) found.push({ start: first.end, end: text.length });
  }
  if (first !== last && last.text.length <= 200 && announcesText(last.text))
    found.push({ start: 0, end: last.start });
  return found;
}

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
/** Minimum number of characters in quoted speech in a script without spaces. */
const SIGNS = 8;
const LONGEST = 4_000;
const UNSPACED_CHARACTER = new RegExp(`[${UNSPACED}]`, "gu");
const MARKS = /["“”„«»‹›「」『』‘’‚＂]/gu;

/** Finds speech in quotation marks, even across lines, but no single words and no titles. */
function quotationsIn(text: string): readonly Span[] {
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

/** Whether a straight quotation mark follows a letter or a digit, as in `27"` (inches). */
const isMeasure = (text: string, mark: string, index: number): boolean =>
  mark === '"' && /[\p{N}\p{Ll}\p{Lu}]/u.test(text.charAt(index - 1));

function isSpeech(inside: string): boolean {
  const words = inside.match(/[\p{L}\p{M}\p{N}'’]+/gu) ?? [];
  if ((inside.match(UNSPACED_CHARACTER)?.length ?? 0) >= SIGNS) return true;
  if (words.length > 1 && /[.!?。！？؟।]\s*$/u.test(inside)) return true;
  return words.length >= WORDS && !isTitle(words);
}

/** Whether quoted words are a title: all longer words start with a capital letter or a digit. */
const isTitle = (words: readonly string[]): boolean =>
  words.every((word) => word.length < 4 || /^[\p{Lu}\p{N}]/u.test(word)) &&
  words.some((word) => word.length > 3);
