import { type Span, secretsBy } from "./span.ts";

/** How names end of what is secret, e.g. `DB_PASSWORD`, `apiKey`, `x-api-key`. */
const NAME =
  "(?:password|passwd|passphrase|pwd|secret|credentials?|token|authorization|session[-_.]?id|(?:secret|api|access|account|auth|private|signing|encryption)[-_.]?key)";
const VALUE = "[^\\s\"'`,;&)}\\]<>|]";

/** `name=value`, `"name": "value"`, also where quotes are escaped; the user of a URL is no name. */
const ASSIGNED = new RegExp(
  `${NAME}(?<!//[\\w.~+%-]{0,80})(?![\\w.~+/@%-])["'\`\\\\]{0,2}(?<before>\\s{0,4})(?<sign>[=:])>?(?<after>\\s{0,4})` +
    `(?:\\\\?(?<quote>["'\`])(?<quoted>(?:(?!\\\\?\\k<quote>)[\\s\\S]){1,1024})\\\\?\\k<quote>|\\\\?["'\`]?(?<plain>${VALUE}+))`,
  "dgi",
);
/** `--password value` */
const OPTION = new RegExp(
  `(?<![\\w.~+/@%-])-[\\w-]{0,60}?${NAME}\\s{1,4}["'\`]?(?<secret>(?![=:])${VALUE}+)`,
  "dgi",
);
const behind = (schemes: string): RegExp =>
  new RegExp(`(?<![\\w-])(?:${schemes})\\s{1,4}(?<secret>${VALUE}{8,})`, "dgi");
/** The first words of an `Authorization` header; all but one are words of prose, too. */
const BEARER = behind("bearer");
const OTHERS = behind("basic|token|digest|apikey");
const IS_SCHEME = /^(?:bearer|basic|token|digest|apikey)$/i;

/** Words after such a name that describe the value and aren't the value itself. */
const REMARK =
  /^(?:required|missing|invalid|expired|revoked|empty|wrong|incorrect|unknown|denied|unauthorized|forbidden|null|undefined|none|true|false|string|number|boolean)$/i;

const tokensBy = (scheme: RegExp, text: string): readonly Span[] =>
  secretsBy(scheme, text).filter(([from, end]) => isOpaque(text.slice(from, end), 8));

/** `Basic …`, `token …`; in a sentence it may be anything. */
export const schemeTokens = (text: string): readonly Span[] => tokensBy(OTHERS, text);

/** Values behind the name of a secret, as programs, configurations and protocols write them. */
export function namedSecrets(text: string): readonly Span[] {
  const found = [...tokensBy(BEARER, text), ...secretsBy(OPTION, text)];
  ASSIGNED.lastIndex = 0;
  for (let match = ASSIGNED.exec(text); match !== null; match = ASSIGNED.exec(text)) {
    const { groups = {}, indices } = match;
    const span = isValue(groups) ? (indices?.groups?.["quoted"] ?? indices?.groups?.["plain"]) : undefined;
    if (span !== undefined) found.push(span);
    // What isn't a value may hold a name of its own.
    else ASSIGNED.lastIndex = indices?.groups?.["sign"]?.[1] ?? match.index + 1;
  }
  return found;
}

/** Behind `=` stands the value; behind `:`, and in prose, it may be what is said of it. */
function isValue({ sign, before, after, quoted, plain = "" }: Readonly<Record<string, string>>): boolean {
  if (quoted !== undefined) return sign === "=" || !(/\s/.test(quoted) || REMARK.test(quoted));
  if (IS_SCHEME.test(plain)) return false;
  return (sign === "=" && before === "" && after === "") || isOpaque(plain, 4);
}

/** Whether it is more than a word of prose. */
const isOpaque = (given: string, shortest: number): boolean =>
  given.length >= shortest && (given.length >= 20 || /[^a-z.:!?]/i.test(given));
