import { ARTICLES, FIRST_PERSON, OBJECT, SECOND_PERSON, SUBJECT, THIRD_PERSON, USER } from "./lexicon.ts";
import type { Word } from "./words.ts";

/** A word with whom it stands for. */
export interface Token extends Word {
  /** What it is compared as: forms of `be`, `have` and `do` are one each. */
  readonly form: string;
  readonly person: "user" | "third" | "second" | undefined;
  /** How the speaker takes part, where the word tells: `I`, `me`, `my`. */
  readonly role: "subject" | "object" | "owner" | undefined;
}

const FORMS: readonly (readonly [string, string])[] = [
  ["be", "am is are be bin ist sind suis est sommes soy es somos estoy está estamos"],
  ["was", "was were war waren étais était era"],
  ["have", "have has had haben habe hat ai a avons tengo tiene tenemos"],
  ["do", "do does"],
  ["go", "go goes voy va"],
];
const FORM: ReadonlyMap<string, string> = new Map(
  FORMS.flatMap(([form, words]) => words.split(" ").map((word) => [word, form] as const)),
);

/** What somebody said: the first person is the user. */
export const tokensSaid = (words: readonly Word[]): readonly Token[] =>
  words.map((word) => tokenOf(word, FIRST_PERSON.has(word.text) ? "user" : otherPerson(word)));

const OWNERS = new Set(["nutzers", "benutzers"]);

/** A fact: the user is named as such or, as by the user, in the first person. */
export function tokensOfFact(words: readonly Word[]): readonly Token[] {
  const tokens: Token[] = [];
  for (const [index, word] of words.entries()) {
    const isUser = isNamed(word);
    const next = words[index + 1];
    if (ARTICLES.has(word.text) && next !== undefined && USER.has(next.text)) continue;
    // `user's` is who it is, as `my` is.
    if (word.text === "'s" && tokens.at(-1)?.person === "user") continue;
    const token = tokenOf(word, isUser ? "user" : otherPerson(word));
    const isOwner = USER.has(word.text) && (next?.text === "'s" || OWNERS.has(word.text));
    tokens.push(isOwner ? { ...token, role: "owner" } : token);
  }
  return tokens;
}

/** Who is meant, by a name of the user's or by the first person. */
const isNamed = ({ text }: Word): boolean => USER.has(text) || FIRST_PERSON.has(text);

function tokenOf(word: Word, person: Token["person"]): Token {
  const { text } = word;
  const form = person === "user" ? "@user" : (FORM.get(text) ?? text);
  const role = person === "user" && !USER.has(text) ? roleOf(text) : undefined;
  return { ...word, person, role, form };
}

function roleOf(text: string): Token["role"] {
  if (SUBJECT.has(text)) return "subject";
  return OBJECT.has(text) ? "object" : "owner";
}

function otherPerson({ text }: Word): Token["person"] {
  if (THIRD_PERSON.has(text)) return "third";
  return SECOND_PERSON.has(text) ? "second" : undefined;
}

/**
 * Whether a word of a fact is, but for person, the word that was said: `likes` for `like`, `wohnt` for `wohne`, `vive` for
 * `vivo`. `they` of a fact may be the user.
 */
export function isSameButForPerson(said: Token, ofFact: Token): boolean {
  if (said.form === ofFact.form) return said.person === ofFact.person;
  if (said.person === "user") return ofFact.person === "third";
  if (said.person !== undefined || ofFact.person !== undefined) return false;
  // Of a name no other form means the same, but a sentence begins with a capital.
  return (!said.capital || !ofFact.capital) && isInflected(said.text, ofFact.text);
}

const ENDINGS: readonly (readonly [string, readonly string[]])[] = [
  ["y", ["ies"]],
  ["", ["s", "es"]],
  ["e", ["t", "et"]],
  ["en", ["t", "et"]],
  ["s", ["t"]],
  ["ons", ["e"]],
  ["o", ["a", "e"]],
  ["amos", ["a"]],
  ["emos", ["e"]],
];
const ANY_ENDING = [...new Set(ENDINGS.flatMap(([ending, others]) => [ending, ...others]))];
const LEAST = 2;

export function isInflected(said: string, ofFact: string): boolean {
  return ENDINGS.some(([ending, others]) => {
    if (!said.endsWith(ending) || said.length - ending.length < LEAST) return false;
    const base = said.slice(0, said.length - ending.length);
    return ofFact.startsWith(base) && others.includes(ofFact.slice(base.length));
  });
}

/** What is left of a word without what may be an ending. Words that are {@link isInflected} share one of these. */
export const basesOf = (text: string): readonly string[] =>
  ANY_ENDING.filter((ending) => text.endsWith(ending) && text.length - ending.length >= LEAST).map((ending) =>
    text.slice(0, text.length - ending.length),
  );

/** Verbs that are of the speaker in no other language than that they are known in. */
export const OF_ITSELF: ReadonlySet<string> = new Set(["soy", "estoy", "tengo", "voy"]);

/** Whether a verb says in its ending that it is of the speaker, and the fact has the same verb of somebody: `vivo`, `vive`. */
export const speaksOfItself = (said: Token, ofFact: Token): boolean =>
  (OF_ITSELF.has(said.text) && said.form === ofFact.form) ||
  (said.text.endsWith("o") &&
    said.text.length > 3 &&
    isInflected(said.text, ofFact.text) &&
    /[ae]$/.test(ofFact.text));
