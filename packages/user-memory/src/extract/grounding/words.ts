/** A word of a text, as it is compared. */
export interface Word {
  /** Lower case, composed, contractions spelt out: `don't` gives `do` and `not`. */
  readonly text: string;
  /** Where it stands in the normalised text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Written with a capital. */
  readonly capital: boolean;
  /** Of a script without spaces, where each sign is a word here. */
  readonly sign: boolean;
}

/** Scripts without spaces. */
const SIGN =
  "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\u30fc\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]\\p{M}*";
/** Who speaks, and of whom: one word although it has several signs. */
const PERSON_SIGNS = "用户|用戶|使用者|ユーザー?|我们|我們|咱们|わたし|ぼく";
const NUMBER = "(?:(?<![\\p{L}\\p{N}])[-+\\u2212](?=\\p{N}))?\\p{Nd}+(?:[.,:/]\\p{Nd}+)*%?";
const SPOKEN = `(?:(?!${SIGN})[\\p{L}\\p{N}])(?:(?!${SIGN})[\\p{L}\\p{N}\\p{M}])*[+#]*(?:['\\u2019](?!${SIGN})\\p{L}+)*`;
/** `500` isn't `< 500`. A minus is a dash, but before a number and not at the head of a line. */
const SYMBOL =
  "!=+|[\\p{Sc}\\p{So}\\p{Sm}]|(?<![\\p{L}\\p{N}]|(?:^|\\n)[ \\t]*)[-\\u2212](?=[ \\t]*\\p{Sc}?[ \\t]*\\p{N})";
const WORD = new RegExp(`${PERSON_SIGNS}|${SIGN}|${NUMBER}(?![\\p{L}])|${SPOKEN}|${SYMBOL}`, "gu");
const ONE_SIGN = new RegExp(`^(?:${PERSON_SIGNS}|${SIGN})$`, "u");

/** What a text is compared as: width and composition don't count, nor what nobody sees. */
export const normalised = (text: string): string =>
  text.normalize("NFKC").replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");

/** The words of a normalised text, in order. Punctuation, spaces and quotes don't count. */
export function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: raw, index: start }) =>
    spelt(raw.toLowerCase()).map((part) => ({
      text: part,
      start,
      end: start + raw.length,
      capital: /^\p{Lu}/u.test(raw),
      sign: ONE_SIGN.test(raw),
    })),
  );
}

const WHOLE: Readonly<Record<string, readonly string[]>> = {
  "can't": ["can", "not"],
  cannot: ["can", "not"],
  cant: ["can", "not"],
  "won't": ["will", "not"],
  wont: ["will", "not"],
  "shan't": ["shall", "not"],
  "ain't": ["be", "not"],
  aint: ["be", "not"],
  ive: ["i", "have"],
  gonna: ["going", "to"],
  wanna: ["want", "to"],
  gotta: ["got", "to"],
};
const BARE_NEGATION = /^(do|does|did|is|are|was|were|have|has|had|would|could|should)nt$/;
const ENDINGS: Readonly<Record<string, string>> = { m: "am", re: "are", ve: "have", ll: "will", d: "would" };
const WITH_IS = new Set(["it", "he", "she", "that", "there", "here", "what", "who", "where", "how", "this"]);
const ELIDED: Readonly<Record<string, string>> = {
  ...{ j: "je", m: "me", n: "ne", l: "le", d: "de", c: "ce", s: "se", t: "te", qu: "que" },
};

function spelt(word: string): readonly string[] {
  const plain = word.replaceAll("\u2019", "'").replaceAll("\u2212", "-");
  const whole = Object.hasOwn(WHOLE, plain) ? WHOLE[plain] : undefined;
  if (whole !== undefined) return whole;
  const bare = BARE_NEGATION.exec(plain);
  if (bare?.[1] !== undefined) return [bare[1], "not"];
  const [first = "", ...rest] = plain.split("'");
  if (rest.length === 0) return [/^\d{1,3}(,\d{3})+$/.test(plain) ? plain.replaceAll(",", "") : plain];
  if (rest.length === 1) return contracted(first, rest[0] ?? "");
  return [first, ...rest];
}

function contracted(base: string, ending: string): readonly string[] {
  if (ending === "t" && base.endsWith("n")) return [base.slice(0, -1), "not"];
  if (ending === "s") return [base, WITH_IS.has(base) ? "is" : "'s"];
  const spoken = Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined;
  if (spoken !== undefined) return [base, spoken];
  const elided = Object.hasOwn(ELIDED, base) ? ELIDED[base] : undefined;
  return [elided ?? base, ending];
}
