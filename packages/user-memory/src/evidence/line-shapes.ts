import { isBlank, type Line, type Span } from "../text.ts";

const TIME = String.raw`\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[.,]\d+)?(?:\s?[aApP]\.?[mM]\.?)?`;
const DATE = String.raw`\d{1,4}[./-]\d{1,2}[./-]\d{1,4}`;
/** Matches a line of a log or a chat that starts with a time, e.g. `[10:32]`, `10:32 ERROR` or `10:32 Ann:`. */
// A time before other words is the user's own schedule: `10:00 dentist`.
const TIMED = new RegExp(
  `^\\s*(?:\\[[^\\]\\n]{0,30}\\d[^\\]\\n]{0,30}\\]|${DATE}[T, ]\\s?${TIME}\\S*|${TIME}\\s+(?:[A-Z]{4,}\\b|[^:\\n]{1,30}:\\s))`,
  "u",
);
/** Matches a chat line that starts with a name and a time: `Ann (10:32): …`, `Ann, 10:32`. */
const NAME_AND_TIME = new RegExp(
  `^\\s*\\p{L}[^:\\n]{0,40}?[\\s,(\\[—–-]+(?:${DATE},?\\s*)?${TIME}[)\\]]?\\s*(?::|$)`,
  "u",
);
const DELIMITER =
  /^\s*(?:[-=*_~#+]{3,}|[<>]{3,}|[-=*<>~#]{2,}\s*\p{L}[^\n]{0,80}?\s*[-=*<>~#]{2,}|-{4,}\s*\p{L}[^\n]{0,80}|BEGIN\b[^\n]{0,60}|<{3,}[^\n]{0,60})\s*$/u;
const WROTE = /@[^\n]{0,200}[:：]\s*$/u;
/** Matches a line that marks text as code or as quoted: a code fence or `>`. */
const MARKED = /^\s*(?:`{3}|~{3}|>)/u;
const LIST = /^\s*(?:[-*•–+]\s|\d{1,2}[.)]\s)/u;
/** Matches a line of data: brackets, a JSON key, or at least three fields (e.g. CSV). */
// In prose, a space follows a comma.
const DATA =
  /^\s*(?:[{[\]}]+,?|"[^"\n]{1,60}"\s*:.*|[^,;\t\n]+(?:,[^,\s][^,\n]*){2,}|[^,;\t\n]+(?:;[^;\s][^;\n]*){2,}|[^\t\n]+(?:\t[^\t\n]+){2,})\s*$/u;
const COMMENT = /^\s*(?:\/\/|\/\*|\*\/|#!|<!--|--\s)/u;
const INDENTED = /^(?: {4}|\t)\s*\S/u;
/**
 * Forms of lines in third-party text, e.g. chat lines and code. Two lines of the same form make a block of third-party
 * text.
 */
const FORMS: readonly ((text: string) => boolean)[] = [
  (text) => TIMED.test(text),
  (text) => NAME_AND_TIME.test(text),
  (text) => DATA.test(text),
  (text) => COMMENT.test(text) || /[{}]\s*$/u.test(text) || (/;\s*$/u.test(text) && /[=()]/u.test(text)),
  (text) => INDENTED.test(text) && !LIST.test(text),
];
/** Whether a line looks like a clause of a contract: `1. Scope`, `1.1 Scope`, `§ 3`. */
const isClause = (text: string): boolean =>
  /^\s*(?:§+\s?\d|\d{1,2}(?:\.\d{1,2}){0,3}\.?\s+\p{Lu})/u.test(text);
const SUBCLAUSE = /^\s*(?:§|\d{1,2}\.\d)/u;

/** Finds third-party text in a message by the form of its lines, e.g. mails, chats, logs and data. */
export function shapesIn(lines: readonly Line[]): readonly Span[] {
  const filled = lines.filter((line) => !isBlank(line));
  const end = lines.at(-1)?.end ?? 0;
  const found: Span[] = filled.filter(({ text }) => /^\s*(?:>|\/\/|\/\*|<!--)/u.test(text));
  const opening = filled.find((line, index) => opens(line, filled[index + 1], filled[index + 2]));
  // A line that announces a text is the user's own.
  if (opening !== undefined) found.push({ start: announces(opening) ? opening.end : opening.start, end });
  const head = headIn(filled);
  if (head !== undefined) found.push({ start: head.start, end });
  for (const isOfForm of FORMS) found.push(...blocks(lines, isOfForm));
  if (filled.some(({ text }) => SUBCLAUSE.test(text))) found.push(...blocks(lines, isClause));
  return found;
}

const announces = ({ text }: Line): boolean => /[:：]\s*$/u.test(text) && !WROTE.test(text);

/** Whether third-party text starts at this line and continues to the end of the message. */
function opens({ text }: Line, next: Line | undefined, second: Line | undefined): boolean {
  // A delimiter (`-----`), or a line that ends with a colon and has no list after it.
  if (next === undefined || text.length > 500) return false;
  if (DELIMITER.test(text)) return true;
  if (!/[:：]\s*$/u.test(text)) return false;
  if (MARKED.test(next.text)) return false;
  const isList =
    LIST.test(next.text) ||
    (labelled(next) !== undefined && second !== undefined && labelled(second) !== undefined);
  return WROTE.test(text) || !isList;
}

/**
 * Finds the lines from the first line of a form to the last line of this form. Returns `[]` if fewer than two lines
 * have the form.
 */
function blocks(lines: readonly Line[], isOfForm: (text: string) => boolean): readonly Span[] {
  // If the text continues after the last line, the block ends at the next empty line.
  const indexes = lines.flatMap((line, index) =>
    line.text.length > 1 && line.text.length <= 2_000 && isOfForm(line.text) ? [index] : [],
  );
  const [first, last] = [indexes[0], indexes.at(-1)];
  if (indexes.length < 2 || first === undefined || last === undefined) return [];
  const gap = lines.findIndex((line, index) => index > last && isBlank(line));
  const end = gap === -1 ? lines.at(-1) : lines[gap - 1];
  return [{ start: lines[first]?.start ?? 0, end: end?.end ?? 0 }];
}

/** Matches a line with a label (`Ann: …`, `From: …`), but not a line with a time or a URL. */
const LABEL =
  /^\s*[*@_]{0,2}(?<label>\p{L}[\p{L}\p{M}\p{N}._'’-]{0,30}(?: [\p{L}\p{N}(][\p{L}\p{M}\p{N}._'’)-]{0,30}){0,2})[*_]{0,2}\s?(?:(?<!\d)[:：]|[:：](?!\d))(?!\/\/)\s*(?<value>\S.*)/u;
const SUBJECT =
  /^(?:re|subject|betreff|betrifft|objet|sujet|asunto|oggetto|assunto|onderwerp|temat|тема|konu|件名|主题|主題|제목|विषय|الموضوع)$/iu;
const MAIL_ADDRESS = /[^\s@]@[^\s@]{1,60}\.\p{L}/u;
const LABEL_OF_AN_ADDRESS = /mail|почта|邮箱|郵箱|メール|이메일|بريد/iu;
/** Matches words of a speaker: a word in the first person, or a question mark or exclamation mark at the end. */
const SPEECH =
  /(?<![\p{L}\p{M}])(?:i|i['’]\p{L}+|me|my|we|our|ich|mich|mir|meine?|wir|je|j['’]\p{L}+|moi|mon|ma|mes|nous|yo|mi|mis|io|mio|mia|eu|meu|minha|ik|mij|mijn|ja|mnie|mam|jestem|ben|benim|я|меня|мне|мой|моя|мы|मैं|मेरा|मेरी|أنا|انا)(?![\p{L}\p{M}])|[我咱私僕俺]|저는|나는|제가|내가|[?!？！]\s*$/iu;

/** Matches a line with a ticket number at its beginning: `ABC-123`, `Ticket ABC-123`, `#12`. */
const TICKET = /^\W{0,5}(?:\p{L}{1,20}\s)?(?:[A-Z]{2,10}-\d+|#\d+)/u;

interface Labelled {
  readonly line: Line;
  readonly label: string;
  readonly value: string;
}

function labelled(line: Line): Labelled | undefined {
  const { label, value } = (line.text.length <= 500 ? LABEL.exec(line.text)?.groups : undefined) ?? {};
  return label === undefined || value === undefined ? undefined : { line, label, value };
}

/**
 * Returns the first labelled line of a mail (`Subject: …`), a chat (`Ann: …`) or a ticket (`Status: …`). Returns
 * `undefined` if there is none.
 */
function headIn(filled: readonly Line[]): Line | undefined {
  // Lines in which the user labels own data (`Diet: vegan`) don't count.
  let run: Labelled[] = [];
  let above = "";
  for (const line of [...filled, undefined]) {
    const found = line && labelled(line);
    if (found !== undefined) run.push(found);
    else {
      if (run.length > 1 && (isMailHead(run) || isChat(run) || TICKET.test(above))) return run[0]?.line;
      run = [];
      above = line?.text ?? "";
    }
  }
  return undefined;
}

const isMailHead = (run: readonly Labelled[]): boolean =>
  run.some(
    ({ label, value }) =>
      SUBJECT.test(label) || (MAIL_ADDRESS.test(value) && !LABEL_OF_AN_ADDRESS.test(label)),
  );

/** Whether lines with labels are a chat: a label repeats, or at least half of the lines are speech. */
const isChat = (run: readonly Labelled[]): boolean =>
  new Set(run.map(({ label }) => label)).size < run.length ||
  run.filter(({ value }) => SPEECH.test(value)).length * 2 >= run.length;
