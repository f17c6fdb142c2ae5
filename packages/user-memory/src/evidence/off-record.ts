import { PHRASES, SPACELESS } from "./off-record-lexicon.ts";

/**
 * Whether the user asks in a message not to remember, save, note or pass on something, e.g. `don't add this to memory`.
 * In doubt, returns `true`. A heuristic: the figure of `pnpm bench:heard` says how often it hears a request.
 */
export function asksNotToKeep(text: string): boolean {
  const message = plain(text);
  const words = wordsOf(message);
  return SPACELESS.some((form) => form.test(message)) || phrases().some((form) => form.test(words));
}

// Created on first use, because it would slow down the import of the package.
let compiled: readonly RegExp[] | undefined;
const phrases = (): readonly RegExp[] => (compiled ??= phrasesIn(PHRASES));

/** Compiles a lexicon. Its lines name words (`keep = save|store`) or contain phrases, separated by ` ; `. */
function phrasesIn(lexicon: string): readonly RegExp[] {
  const named = new Map<string, string>();
  const found: RegExp[] = [];
  for (const line of plain(lexicon).split(/\n| ; /u)) {
    const whole = line.replace(/\$(\w+)/gu, (_, name: string) => named.get(name) ?? "");
    const [, name, words] = /^(\w+) = (.+)$/u.exec(whole) ?? [];
    if (name !== undefined && words !== undefined) named.set(name, words);
    else if (whole !== "") found.push(new RegExp(` ${whole.split(" ").map(compile).join("")}`, "u"));
  }
  return found;
}

const COURTESY =
  "(?:(?:and|or|but|so|then|now|ok|okay|hey|please|pls|plz|kindly|just|also|though|tho|thanks|thx|do|bitte|mal|und|aber|" +
  "also|doch|einfach|danke|ja|halt|et|mais|alors|merci|stp|svp|surtout|y|pero|por|favor|gracias|ma|per|favore|grazie|" +
  "mas|obrigad[oa]|porfa|en|maar|alsjeblieft|ale|prosze|и|а|но|пожалуиста|ve|lutfen) ){0,6}";
const ADVERBS =
  "(?:(?:really|just|usually|often|also|still|always|simply|actually|normally|can|could|do|did|would|will|me|le|la) ){0,6}";

/**
 * Compiles one element of a phrase. Phrases are matched with the text that {@link wordsOf} returns.
 *
 * - `save|saving`: one of these words. `memor*`: a word with this beginning. A `+` stands for a space.
 * - `_`: up to five words of one part of a sentence (commas separate parts). `~`: up to nine words of one sentence.
 * - `?on|to`: any number of these words.
 * - `^` and `$`: the beginning and the end of a part. Words of courtesy (`please`) don't count.
 * - `memory|$`: the word or the end of a part.
 * - `-i|we`: none of these words directly before; adverbs in between don't count.
 * - `--i|we`: none of these words among the eight before, in the same part. `!not`: the same for the words after.
 */
function compile(element: string): string {
  if (element === "_") return "(?:[^ ,.]+ ){0,5}?";
  if (element === "~") return "(?:[^ .]+ ){0,9}?";
  if (element === "^") return `(?<=[,.] ${COURTESY})`;
  const [, sign = "", words = ""] = /^(--|[-!?]|)(.*)$/u.exec(element) ?? [];
  const end = words.includes("$") ? `(?=${COURTESY}[,.] )` : undefined;
  const plainWords = words
    .replace(/\|?\$\|?/u, (cut) => (cut.length === 3 ? "|" : ""))
    .replaceAll("*", "[^ ]*");
  const some = `(?:${plainWords.replaceAll("+", " ")}) `;
  const any = end === undefined ? some : plainWords === "" ? end : `(?:${some}|${end})`;
  if (sign === "?") return `(?:${any}){0,6}?`;
  if (sign === "-") return `(?<! ${any}${ADVERBS})`;
  if (sign === "--") return `(?<! ${any}(?:[^ ,.]+ ){0,8})`;
  return sign === "!" ? `(?!(?:[^ ,.]+ ){0,8}?${any})` : any;
}

/** Matches marks whose absence doesn't change a word, e.g. accents and Arabic vowel marks. */
// Vowel signs of Indic scripts aren't matched, because words differ by them.
const ACCENTS = /[\u0300-\u036f\u0640\u064b-\u0655]/gu;
const NEGATED =
  /(?<!\p{L})(do|does|did|is|are|was|were|should|must|need|could|would|ca|can|wo|may|have)(?: ?not|n ?'? ?t|nt)(?!\p{L})/gu;

/** Converts a text to lower case without accents, and variants of a negation (`do not`, `don't`) into one form. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/[’‘`´ʼ′＇]/gu, "'")
    .replace(NEGATED, (_, verb: string) => `${verb === "can" ? "ca" : verb}nt`)
    .replace(ACCENTS, "")
    .normalize("NFKC")
    .replaceAll("ı", "i");

/** Returns the words of a text with a space after each. A `,` marks the end of a part, a `.` the end of a sentence. */
function wordsOf(message: string): string {
  const found = message.matchAll(/[\p{L}\p{M}\p{N}]+|[.!?;\n…؟।。！？]|[,:()"“”„«»–—、，：،]|(?<!\p{L})-/gu);
  const signs = [...found].map(([sign]) =>
    /^[\p{L}\p{N}]/u.test(sign) ? sign : /^[.!?;\n…؟।。！？]/u.test(sign) ? "." : ",",
  );
  return ` . ${signs.join(" ")} . `;
}
