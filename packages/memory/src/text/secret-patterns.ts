/** A range of a text, with an exclusive end. */
export type Span = readonly [from: number, end: number];

/** Returns the ranges of the group `secret` of a pattern with the flags `d` and `g`. */
const secretsBy = (pattern: RegExp, text: string): readonly Span[] =>
  [...text.matchAll(pattern)].flatMap(({ indices }) => {
    const span = indices?.groups?.["secret"];
    return span === undefined ? [] : [span];
  });

/** Prefixes of service keys. At least 16 characters follow, including a digit. */
const PREFIXES = [
  ...["sk-", "[prs]k_(?:live|test)_", "whsec_"], // OpenAI, Anthropic, DeepSeek, OpenRouter, Stripe, Clerk
  ...["gh[oprsu]_", "github_pat_", "glpat-"], // GitHub, GitLab
  ...["xox[abeprs]-", "xapp-"], // Slack
  ...["AIza", "ya29\\.", "GOCSPX-"], // Google
  ...["npm_", "pypi-", "dckr_pat_"], // package registries
  ...["hf_", "gsk_", "xai-", "r8_"], // Hugging Face, Groq, xAI, Replicate
  ...["SG\\.", "dop_v1_", "shpat_", "lin_api_"], // SendGrid, DigitalOcean, Shopify, Linear
  ...["sbp_", "pscale_tkn_", "AGE-SECRET-KEY-1"], // Supabase, PlanetScale, age
].join("|");

/**
 * Unbounded repetitions only begin at the beginning of a word or end a pattern, so the time is linear in the text's
 * length.
 */
const FORMS: readonly RegExp[] = [
  new RegExp(`(?<![\\w-])(?<secret>(?:${PREFIXES})(?=[\\w-]{0,200}\\d)[\\w-]{16,}(?:\\.[\\w-]+)*)`, "dg"),
  /(?<![A-Z0-9])(?<secret>A(?:KI|SI)A[A-Z0-9]{16})(?![A-Z0-9])/dg, // AWS
  /(?<![\w-])(?<secret>eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)*)/dg, // a JSON Web Token
  // A truncated private key extends to the end.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?<secret>[\s\S]*?)(?:-----END|$)/dg,
  // A URL's password. If the authority contains no `@`, anything that isn't a port is a password with unescaped
  // characters.
  /:\/\/[^\s"'`<>:@/?#]{0,200}:(?<secret>[^\s"'`<>/?#]{1,1000}|(?!\d*(?:[/?#]|$))(?:(?!:\/\/)[^\s"'`<>]){1,1000})@/dg,
];

/**
 * Finds secrets by their form. With `hashes`, text of at least 32 characters that is as irregular as a hash counts;
 * without, only token-like words do, because people mention hashes to identify something.
 */
export const secretsByForm = (text: string, { hashes }: { readonly hashes: boolean }): readonly Span[] => [
  ...FORMS.flatMap((form) => secretsBy(form, text)),
  ...(hashes ? hashesIn(text) : tokensIn(text)),
];

const PATH = /[\w.~+/@%-]{32,}/g;
const PART = /[^/@%]+/g;

/** Splits paths and addresses into their parts. Base64 contains slashes, too. */
function hashesIn(text: string): readonly Span[] {
  return [...text.matchAll(PATH)].flatMap(({ 0: path, index: start }) => {
    const parts = [...path.matchAll(PART)].filter(([part]) => isHash(part));
    if (parts.length === 0 && isHash(path)) return [[start, start + path.length] as const];
    return parts.map(({ 0: part, index }) => [start + index, start + index + part.length] as const);
  });
}

const WORD = /(?<![\w+/=-])(?<secret>[\w+=-]{20,200})(?![\w+/=-])/dg;

const tokensIn = (text: string): readonly Span[] =>
  secretsBy(WORD, text).filter(([from, end]) => {
    const word = text.slice(from, end);
    return isIrregular(word, 2.5) && /[a-z]/.test(word) && /[A-Z]/.test(word);
  });

const isHash = (text: string): boolean =>
  isIrregular(text, 3.5) && /[a-z]/i.test(text) && text.replaceAll(/[^a-z\d]/gi, "").length >= 32;

const FEWEST_CHARACTERS = 10;
/** UUIDs are identifiers, not secrets. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * In random text, words, capitals and numbers are shorter than in names: at most `longestPart` characters on average.
 */
function isIrregular(text: string, longestPart: number): boolean {
  const signs = text.match(/[a-z\d]/gi) ?? [];
  // A capital and the small letters after it are one word.
  const parts = text.match(/[A-Z]+[a-z]*|[a-z]+|\d+/g) ?? [];
  return (
    /\d/.test(text) &&
    signs.length <= longestPart * parts.length &&
    new Set(signs).size >= FEWEST_CHARACTERS &&
    !UUID.test(text)
  );
}

/** The ends of names of secrets, e.g. `DB_PASSWORD`, `apiKey`, `x-api-key`. */
const NAME =
  "(?:password|passwd|passphrase|pwd|secret|credentials?|token|authorization|session[-_.]?id|(?:secret|api|access|account|auth|private|signing|encryption)[-_.]?key)";
const VALUE = "[^\\s\"'`,;&)}\\]<>|]";

/** `name=value`, `"name": "value"`, even with escaped quotes. The user of a URL is not a name. */
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
/** The first words of an `Authorization` header. All but one are also words of prose. */
const BEARER = behind("bearer");
const OTHERS = behind("basic|token|digest|apikey");
const IS_SCHEME = /^(?:bearer|basic|token|digest|apikey)$/i;

/** Words after such a name that describe the value and are not the value. */
const REMARK =
  /^(?:required|missing|invalid|expired|revoked|empty|wrong|incorrect|unknown|denied|unauthorized|forbidden|null|undefined|none|true|false|string|number|boolean)$/i;

const tokensBy = (scheme: RegExp, text: string): readonly Span[] =>
  secretsBy(scheme, text).filter(([from, end]) => isOpaque(text.slice(from, end), 8));

/** `Basic …`, `token …`; ambiguous in a sentence. */
export const schemeTokens = (text: string): readonly Span[] => tokensBy(OTHERS, text);

/** Finds values after the name of a secret, as programs, configurations and protocols write them. */
export function namedSecrets(text: string): readonly Span[] {
  const found = [...tokensBy(BEARER, text), ...secretsBy(OPTION, text)];
  ASSIGNED.lastIndex = 0;
  for (let match = ASSIGNED.exec(text); match !== null; match = ASSIGNED.exec(text)) {
    const { groups = {}, indices } = match;
    const span = isValue(groups) ? (indices?.groups?.["quoted"] ?? indices?.groups?.["plain"]) : undefined;
    if (span !== undefined) found.push(span);
    // Text that isn't a value may contain another name.
    else ASSIGNED.lastIndex = indices?.groups?.["sign"]?.[1] ?? match.index + 1;
  }
  return found;
}

/** After `=` comes the value. After `:`, and in prose, it may be a description. */
function isValue({ sign, before, after, quoted, plain = "" }: Readonly<Record<string, string>>): boolean {
  if (quoted !== undefined) return sign === "=" || !(/\s/.test(quoted) || REMARK.test(quoted));
  if (IS_SCHEME.test(plain)) return false;
  return (sign === "=" && before === "" && after === "") || isOpaque(plain, 4);
}

/** Whether it is more than a word of prose. */
const isOpaque = (given: string, shortest: number): boolean =>
  given.length >= shortest && (given.length >= 20 || /[^a-z.:!?]/i.test(given));

const DIGITS = /(?<![\d.+])\d(?:[ -]?\d){12,18}(?![\d.]?\d)/g;

/** Whether a text contains a payment card number, by Luhn's check. */
export const holdsCardNumber = (text: string): boolean =>
  [...text.matchAll(DIGITS)].some(([number]) => {
    const digits = [...number.replaceAll(/\D/g, "")].reverse();
    const sum = digits.reduce((total, digit, index) => {
      const value = Number(digit) * ((index % 2) + 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    return sum % 10 === 0 && new Set(digits).size > 1;
  });
