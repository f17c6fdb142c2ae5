import { lazy } from "@jaf/memory/adapter";
import { headIn, isLabelled } from "./labels.ts";
import { isBlank, type Line, type Span } from "./line.ts";

const TIME = String.raw`\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[.,]\d+)?(?:\s?[aApP]\.?[mM]\.?)?`;
const DATE = String.raw`\d{1,4}[./-]\d{1,2}[./-]\d{1,4}`;
/** Of a log or a chat: it begins with a time, or a date and a time. A time and a word alone are of somebody's day. */
const TIMED = new RegExp(
  `^\\s*(?:\\[[^\\]\\n]{0,30}\\d[^\\]\\n]{0,30}\\]|${DATE}[T, ]\\s?${TIME}\\S*|${TIME}\\s+(?:[A-Z]{4,}\\b|[^:\\n]{1,30}:\\s))`,
  "u",
);
/** `Ann (10:32): …`, `Ann, 10:32`. */
const NAME_AND_TIME = new RegExp(
  `^\\s*\\p{L}[^:\\n]{0,40}?[\\s,(\\[—–-]+(?:${DATE},?\\s*)?${TIME}[)\\]]?\\s*(?::|$)`,
  "u",
);
const DELIMITER = lazy(
  () =>
    /^\s*(?:[-=*_~#+]{3,}|[<>]{3,}|[-=*<>~#]{2,}\s*\p{L}[^\n]{0,80}?\s*[-=*<>~#]{2,}|-{4,}\s*\p{L}[^\n]{0,80}|BEGIN\b[^\n]{0,60}|<{3,}[^\n]{0,60})\s*$/u,
);
const WROTE = /@[^\n]{0,200}[:：]\s*$/u;
/** It says itself how far it goes. */
const MARKED = /^\s*(?:`{3}|~{3}|>)/u;
const LIST = /^\s*(?:[-*•–+]\s|\d{1,2}[.)]\s)/u;
/** Brackets, keys of JSON, and fields without a space behind what divides them: prose has one behind its commas. */
const DATA =
  /^\s*(?:[{[\]}]+,?|"[^"\n]{1,60}"\s*:.*|[^,;\t\n]+(?:,[^,\s][^,\n]*){2,}|[^,;\t\n]+(?:;[^;\s][^;\n]*){2,}|[^\t\n]+(?:\t[^\t\n]+){2,})\s*$/u;
const COMMENT = /^\s*(?:\/\/|\/\*|\*\/|#!|<!--|--\s)/u;
const INDENTED = /^(?: {4}|\t)\s*\S/u;
/** Of terms and contracts: `1.`, `1.1`, `§ 3`. */
const CLAUSE = /^\s*(?:§+\s?\d|\d{1,2}(?:\.\d{1,2}){0,3}\.?\s+\p{Lu})/u;
const SUBCLAUSE = /^\s*(?:§|\d{1,2}\.\d)/u;

const isCode = (text: string): boolean =>
  COMMENT.test(text) || /[{}]\s*$/u.test(text) || (/;\s*$/u.test(text) && /[=()]/u.test(text));

const isIndented = (text: string): boolean => INDENTED.test(text) && !LIST.test(text);

/** What shapes of lines tell to be somebody else's: mails, chats, logs, data, and what a delimiter or a colon announces. */
export function shapesIn(lines: readonly Line[]): readonly Span[] {
  const filled = lines.filter((line) => !isBlank(line));
  const end = lines.at(-1)?.end ?? 0;
  const found: Span[] = filled.filter(({ text }) => /^\s*(?:>|\/\/|\/\*|<!--)/u.test(text));
  const opening = filled.find((line, index) => opens(line, filled[index + 1], filled[index + 2]));
  // What announces a text is the user's own.
  if (opening !== undefined) found.push({ start: announces(opening) ? opening.end : opening.start, end });
  const head = headIn(filled);
  if (head !== undefined) found.push({ start: head.start, end });
  for (const form of [TIMED, NAME_AND_TIME, DATA]) found.push(...blocks(lines, (text) => form.test(text)));
  for (const form of [isCode, isIndented]) found.push(...blocks(lines, form));
  if (filled.some(({ text }) => SUBCLAUSE.test(text)))
    found.push(...blocks(lines, (text) => CLAUSE.test(text)));
  return found;
}

const announces = ({ text }: Line): boolean => /[:：]\s*$/u.test(text) && !WROTE.test(text);

/** Whether this line begins what goes on to the end: a delimiter, or a colon that announces a text, not a list. */
function opens({ text }: Line, next: Line | undefined, second: Line | undefined): boolean {
  if (next === undefined || text.length > 500) return false;
  if (DELIMITER().test(text)) return true;
  if (!/[:：]\s*$/u.test(text)) return false;
  if (MARKED.test(next.text)) return false;
  const isList = LIST.test(next.text) || (isLabelled(next) && second !== undefined && isLabelled(second));
  return WROTE.test(text) || !isList;
}

/** From the first of two lines of a form to the empty line behind the last. */
function blocks(lines: readonly Line[], isOfForm: (text: string) => boolean): readonly Span[] {
  const indexes = lines.flatMap((line, index) =>
    line.text.length > 1 && line.text.length <= 2_000 && isOfForm(line.text) ? [index] : [],
  );
  const [first, last] = [indexes[0], indexes.at(-1)];
  if (indexes.length < 2 || first === undefined || last === undefined) return [];
  let end = last;
  for (let at = last + 1; at < lines.length && !isBlank(lines[at] ?? EMPTY); at++) end = at;
  return [{ start: lines[first]?.start ?? 0, end: lines[end]?.end ?? 0 }];
}

const EMPTY: Line = { start: 0, end: 0, text: "" };
