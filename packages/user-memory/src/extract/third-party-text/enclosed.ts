import { isBlank, type Line, type Span } from "./line.ts";

/** Fenced code; what isn't closed goes on to the end. */
export function fencesIn(lines: readonly Line[]): readonly Span[] {
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

/** From the first tag to the last, where one of the tags closes; a tag that nothing closes, to the end. */
export function tagsIn(text: string): readonly Span[] {
  const tags = [...text.matchAll(/<\/?([\p{L}_][\w:-]{0,40})(?:\s[^<>\n]{0,200})?\/?>/gu)];
  const [first, last] = [tags[0], tags.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [{ start: first.index, end: last[0].startsWith("</") ? last.index + last[0].length : text.length }];
}

/** Code of several words; one is a name of something the user speaks of. */
export const inlineCodeIn = (text: string): readonly Span[] =>
  [...text.matchAll(/`[^`\n]{1,500}`/gu)].flatMap(({ 0: code, index }) =>
    /\S\s+\S/u.test(code.slice(1, -1)) ? [{ start: index, end: index + code.length }] : [],
  );

const MAX_WORDS = 15;
/** Beginnings of verbs that ask for work on a text. */
const TASK =
  /^\W{0,3}(?:(?:please|pls|can you|could you|bitte|kannst du|peux-tu|puedes|por favor|puoi|請|请|帮我)[ ,]{0,2}){0,2}(?:translate|summari[sz]e|proofread|shorten|condense|rewrite|rephrase|paraphrase|repeat|explain|correct|übersetz|fasse|kürz|korrigier|wiederhol|umformulier|tradui|résume|abrège|raccourci|corrige|répète|reformule|traduc|resume|acorta|reescrib|repite|riassum|accorcia|ripeti|resum|traduz|encurta|reescrev|repit|vertaal|verkort|vat|herhaal|przetłumacz|streść|skróć|переведи|перескажи|сократи|повтори|çevir|özetle|kısalt|翻译|翻譯|总结|缩短|總結|改写|翻訳|要約|校正|번역|요약|줄여|अनुवाद|ترجم|لخص)/iu;

/** Whether a whole message of the user announces that the next one is somebody else's text: `Translate this:`. */
export function announcesText(previous: string): boolean {
  const message = previous.trim();
  if (message.length > 2_000) return false;
  if (/[:：]$/u.test(message)) return true;
  return message.split(/\s+/u).length <= MAX_WORDS && TASK.test(message);
}

/** What follows a request at the beginning, in its line behind a colon or below, and what goes before one at the end. */
export function mattersIn(text: string, lines: readonly Line[]): readonly Span[] {
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
