import { ANAPHORS, FIRST_PERSON, HARMLESS } from "./lexicon.ts";
import type { Range } from "./range.ts";

const TIME =
  /^[ \t]*(?:\[[^\]\n]{1,40}\]|\(?\d{1,2}:\d{2}(?::\d{2})?\)?|\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s)/u;
const NAME =
  /^[ \t]*(?:[-*•]\s*)?([@\p{Lu}][\p{L}\p{N}._'’-]{0,40}(?:\s[\p{L}\p{N}(@][\p{L}\p{N}._'’)-]{0,40}){0,3})\s?[:：]/u;
const LEAD = /[:：]\s*$/u;
/** Behind it, somebody speaks of themselves. */
const ABOUT_ME =
  /^\s*(?:here are )?(?:some |a few )?(?:facts |things |notes |info )?about (?:me|myself)\s*:\s*$/iu;

interface Line extends Range {
  /** Behind the name. */
  readonly said: number;
  readonly kind: "timed" | "named" | "lead" | "blank" | "plain";
}

/**
 * What others say in a chat log, and what a line that ends in a colon announces. A line with a time, and those behind it up to
 * an empty one, is of a log; so is a line with a name, where there are several; a single one stands for itself.
 */
export function speakers(text: string): readonly Range[] {
  const lines = linesOf(text);
  const lead = lines.find(({ kind }) => kind === "lead");
  const isLog = lines.filter(({ kind }) => kind === "named").length > 1;
  const ranges: Range[] = lead === undefined ? [] : [{ start: lead.start, end: text.length }];
  let isInLog = false;
  for (const { kind, start, said, end } of lines) {
    const isSpoken = kind === "timed" || kind === "named";
    isInLog = kind !== "blank" && (isInLog || kind === "timed" || (isLog && isSpoken));
    if (isInLog || isSpoken) ranges.push({ start: isLog ? start : said, end });
  }
  return ranges;
}

function linesOf(text: string): readonly Line[] {
  let start = 0;
  return text.split("\n").map((line, index, all) => {
    const range = { start, end: start + line.length };
    start = range.end + 1;
    const name = NAME.exec(line)?.[0] ?? "";
    const kind = kindOf(line, index === all.length - 1);
    return { ...range, kind, said: range.start + (kind === "named" ? name.length : 0) };
  });
}

function kindOf(line: string, isLast: boolean): Line["kind"] {
  if (line.trim() === "") return "blank";
  if (TIME.test(line)) return "timed";
  if (!isLast && LEAD.test(line) && !ABOUT_ME.test(line) && !isHarmless(line)) return "lead";
  const name = NAME.exec(line)?.[1];
  return name === undefined || isHarmless(name) || isOfSpeaker(name) ? "plain" : "named";
}

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const isHarmless = (text: string): boolean =>
  wordsIn(text).every((word) => HARMLESS.has(word) || ANAPHORS.has(word));

const isOfSpeaker = (name: string): boolean => FIRST_PERSON.has(wordsIn(name)[0] ?? "");
