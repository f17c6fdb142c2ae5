import { holdsSecret } from "@jaf/user-memory";

const UNDERSTOOD_LENGTH = 5_000;

/** The beginning of a message that the rules read, to limit the cost of huge messages. */
export const understood = (text: string): string => text.slice(0, UNDERSTOOD_LENGTH);

/** A user's statement about themselves, e.g. that their dog is Rex. */
export interface Statement {
  readonly thing: string;
  readonly value: string;
}

/** The `thing` of "I live in Porto". */
export const HOME = "home";

/** Matches fenced blocks and quoted lines, which are other people's words. */
const QUOTED = /^[ \t]*(```|~~~)[\s\S]*?(?:^[ \t]*\1|(?![\s\S]))|^[ \t]*>.*$/gm;
const SENTENCE_END = /(?<=[.!?…])\s+|\n+/;
const CLAUSE_END = /,? and (?=(?:my|i live|call me)\b)/i;
/** At most three words. */
const VALUE = String.raw`([^\s,?!"“”]+(?: [^\s,?!"“”]+){0,2})!*$`;
const MY = new RegExp(`^(?:(?:hi|hello|hey),? )?my ([a-z][a-z '’-]{0,40}?) is ${VALUE}`, "i");
const LIVE = new RegExp(`^i live in ${VALUE}`, "i");
/** Requires a capital letter, because `Call me back` has no name. */
const CALL = /^(?:[Yy]ou can )?[Cc]all me (\p{Lu}[^\s,?!]*(?: \p{Lu}[^\s,?!]*){0,2})!*$/u;

export const sentencesIn = (text: string): readonly string[] =>
  text
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter(Boolean);

/** The statements of a message, in order. A statement must begin a sentence, unlike "The page says: my name is Eve". */
export const statementsIn = (text: string): readonly Statement[] =>
  sentencesIn(understood(text).replaceAll(QUOTED, ""))
    .filter((sentence) => !holdsSecret(sentence))
    .flatMap((sentence) => sentence.split(CLAUSE_END))
    .flatMap(statementOf);

function statementOf(clause: string): readonly Statement[] {
  const [, thing, value] = MY.exec(clause) ?? [];
  if (thing !== undefined && value !== undefined) return [{ thing: thingOf(thing), value: bare(value) }];
  const home = LIVE.exec(clause)?.[1];
  if (home !== undefined) return [{ thing: HOME, value: bare(home) }];
  const name = CALL.exec(clause)?.[1];
  return name === undefined ? [] : [{ thing: "name", value: bare(name) }];
}

const bare = (value: string): string => value.replace(/[.…]+$/, "");

export const thingOf = (words: string): string =>
  words.trim().toLowerCase().replaceAll("’", "'").replaceAll(/\s+/g, " ");
