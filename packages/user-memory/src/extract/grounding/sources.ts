import { type SentenceEnd, sentenceEnds } from "./ends.ts";
import { quotations } from "./quotations.ts";
import type { Range } from "./range.ts";
import { speakers } from "./speakers.ts";

/** Longer texts aren't typed: all but their beginning and end is taken for pasted. */
const TYPED = 2_000;
const TYPED_PARAGRAPH = 500;
const ENCLOSED: readonly RegExp[] = [
  /(?:^|\n)[ \t]*(`{3,}|~{3,})[\s\S]*?(?:\n[ \t]*\1|$)/gu,
  /(?:^|\n)[ \t]*>[^\n]*/gu,
  /<([a-z][\w-]{0,30})(?:\s[^<>]{0,200})?>[\s\S]*?(?:<\/\1\s*>|$)/giu,
];
/** What others wrote begins here, and goes on to the end. */
const FORWARDED: readonly RegExp[] = [
  /^[ \t]*(?:re|fwd?|aw|wg)\s?:[^\n]*\n/imu,
  /^[ \t]*\$ \S[^\n]*\n/mu,
  /^[ \t]*-{2,}\s*(?:original|forwarded|ursprüngliche|weitergeleitete|message)\b[^\n]*/imu,
  /^[ \t]*begin forwarded message/imu,
  /^[ \t]*(?:from|von|de|发件人|差出人)\s*:[^\n]+\n(?:[^\n]*\n){0,6}?[ \t]*(?:subject|to|sent|date|betreff|an|gesendet|objet|à|asunto|para|主题|件名)\s*:/imu,
  /^[ \t]*(?:on|am|le|el)\s[^\n]{5,120}\s(?:wrote|schrieb[^\n]{0,60}|a écrit|escribió)\s*:/imu,
];

const THINGS =
  "(?:web ?)?(?:site|page)s?|webseite|articles?|artikel|docs?|documents?|documentation|dokument|dokumentation|e-?mails?|mail|message|nachricht|letter|brief|pdf|file|datei|readme|posts?|tweets?|tools?|assistant|bot|chatgpt|claude|gemini|gpt|ai|ki|model|blog|books?|manual|wiki(?:pedia)?|newsletter|review|ticket|issue|comment|banner|sign|sms|text|output|log|response|result|search|transcript|internet|google|página|sitio|artículo|documento|correo|mensaje|texto|site web|document|courriel|texte|fichier";
const SAYS =
  "says?|said|reads?|states?|stated|claims?|wrote|writes?|tells?(?: \\w+)?|told(?: \\w+)?|mentions?|mentioned|instructs?|returned|returns?|shows?|showed|suggests?|asks?|asked|wants|sagt|schreibt|steht|behauptet|meldet|dit|indique|affirme|écrit|dice|indica|afirma|pone";
/** Somebody else's words follow, in the same sentence; behind a colon or a line break, to the end of the text. */
const ATTRIBUTED: readonly RegExp[] = [
  new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${THINGS})(?:\\s[\\p{L}\\p{N}'’.-]+){0,3}?\\s(?:${SAYS})(?![\\p{L}\\p{N}])`,
    "giu",
  ),
  /(?<![\p{L}\p{N}])it (?:says|said|reads|states)(?![\p{L}\p{N}])/giu,
  /(?<![\p{L}\p{N}])(?:according to|laut|selon|d['’]après|según)(?![\p{L}\p{N}])/giu,
  /(?:网站|網站|网页|網頁|页面|頁面|文章|邮件|郵件|文件|文档|工具)[^。！？\n]{0,6}(?:说|說|写|寫|显示|顯示|要求)/gu,
  /(?:サイト|ページ|記事|メール|文書|ツール)(?:は|が|には|に)[^。\n]{0,20}?(?:と言|書|とあ|示)/gu,
];

const TASKS =
  "translate|summari[sz]e|summary of|rewrite|rephrase|paraphrase|proofread|correct|edit|improve|explain|review|classify|analy[sz]e|extract|convert|shorten|polish|respond to|reply to|answer|parse|übersetze?n?|fasse|zusammenfassung|korrigiere?|verbessere?|erkläre?|traduis|traduire|résume[rz]?|corrige[rz]?|réécris|explique[rz]?|traduce|traducir|resume|reescribe|explica";
const MATERIAL =
  "(?:here(?: is|['’]s| are)|this is|below is|following|see|hier ist|hier sind|voici|aquí está)[^\\n:]{0,60}?(?:e-?mail|mail|text|article|document|paste|transcript|log|code|message|letter|page|story|essay|review|output|post|artikel|dokument|nachricht|texte|courriel|texto|correo)";
const THIS_ONE =
  "(?:this|these|the following|the attached|diese[rs]?|folgende[rns]?|ce|cet|cette|este|esta)\\s(?:[\\p{L}-]+\\s){0,2}?(?:e-?mail|mail|text|article|document|paste|transcript|log|code|message|letter|page|story|essay|review|output|post|quote|poem|song|artikel|dokument|nachricht|texte|courriel|texto|correo)";
const DICTATED =
  "draft|write|send|tweet|post|repeat|say|type|compose|text|reply|tell|schreibe?|sende?|sag|wiederhole?|écris|envoie|dis|répète|escribe|envía|di|repite";
/** A text to work on follows, to the end. */
const HANDED_OVER: readonly RegExp[] = [
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${TASKS})(?![\\p{L}\\p{N}])[^\\n:]{0,120}(?::|\\n)`, "giu"),
  new RegExp(
    `(?<![\\p{L}\\p{N}])(?<!(?:i|we|to|ich|je|yo) )(?:${DICTATED})(?![\\p{L}\\p{N}])[^\\n:.?!]{0,120}(?::|(?<=this|that|following|das|esto|ceci)\\n)`,
    "giu",
  ),
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${MATERIAL})[^\\n:]{0,60}(?::|\\n)`, "giu"),
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${THIS_ONE})[^\\n:]{0,60}:`, "giu"),
  /(?:翻译|翻譯|总结|總結|改写|改寫|润色|潤色|翻訳|要約|校正|添削)[^\n:：]{0,40}[:：\n]/gu,
];

/** The parts of a normalised text that aren't the words of whoever sent it: code, quotations, mails, what a page says. */
export function foreignRanges(text: string, { isCut }: { readonly isCut: boolean }): readonly Range[] {
  const ends = sentenceEnds(text);
  return [
    ...ENCLOSED.flatMap((pattern) => rangesOf(text, pattern)),
    ...quotations(text),
    ...speakers(text),
    ...FORWARDED.flatMap((pattern) => toTheEnd(text, pattern.exec(text)?.index)),
    ...ATTRIBUTED.flatMap((pattern) => [...text.matchAll(pattern)].map((cue) => attributed(text, ends, cue))),
    ...HANDED_OVER.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ 0: cue, index }) => ({
        start: index + cue.length,
        end: text.length,
      })),
    ),
    ...pasted(text, isCut),
  ];
}

const rangesOf = (text: string, pattern: RegExp): readonly Range[] =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, end: index + found.length }));

const toTheEnd = (text: string, start: number | undefined): readonly Range[] =>
  start === undefined ? [] : [{ start, end: text.length }];

/** The whole sentence around a cue; behind a colon or before a line break, all that follows, too. */
function attributed(text: string, ends: readonly SentenceEnd[], { 0: cue, index }: RegExpExecArray): Range {
  const behind = index + cue.length;
  const last = firstFrom(ends, behind);
  const start = ends[firstFrom(ends, index) - 1]?.end ?? 0;
  const { at, sign } = ends[last] ?? { at: text.length, sign: "" };
  const opensText = /[:：]/u.test(text.slice(behind, at)) || sign.startsWith("\n");
  return { start, end: opensText ? text.length : at };
}

/** Index of the first end that isn't before a place. */
function firstFrom(ends: readonly SentenceEnd[], place: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle]?.at ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of a long text, everything but its first and its last paragraph, and these only if they are short. Of one cut off, the last isn't known. */
function pasted(text: string, isCut: boolean): readonly Range[] {
  if (text.length <= TYPED && !isCut) return [];
  const paragraphs = rangesOf(text, /[^\n]+(?:\n(?!\s*\n)[^\n]*)*/gu).filter(
    ({ start, end }) => text.slice(start, end).trim() !== "",
  );
  const isTyped = ({ start, end }: Range, index: number): boolean =>
    (index === 0 || (!isCut && index === paragraphs.length - 1)) && end - start <= TYPED_PARAGRAPH;
  return paragraphs.filter((paragraph, index) => !isTyped(paragraph, index));
}
