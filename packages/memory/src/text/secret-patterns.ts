import { VENDOR_TOKENS } from "./vendor-tokens.ts";

/** A range of a text: the indexes of its first character and after its last one. */
export type Span = readonly [from: number, end: number];

/** Returns the ranges that the group `secret` of a pattern matches. The pattern must have the flags `d` and `g`. */
const secretsBy = (pattern: RegExp, text: string): readonly Span[] =>
  [...text.matchAll(pattern)].flatMap(({ indices }) => {
    const span = indices?.groups?.["secret"];
    return span === undefined ? [] : [span];
  });

// In a key, at least 16 characters follow the prefix, and one of them is a digit.
/** Prefixes of keys of well-known services (e.g. `sk-`). */
const PREFIXES = [
  ...["sk-", "[prs]k_(?:live|test)_", "whsec_"], // OpenAI, Anthropic, DeepSeek, OpenRouter, Stripe, Clerk
  ...["gh[oprsu]_", "github_pat_", "glpat-"], // GitHub, GitLab
  ...["xox[abeprs]-", "xapp-"], // Slack
  ...["AIza", "ya29\\.", "GOCSPX-"], // Google
  ...["npm_", "pypi-", "dckr_pat_"], // package registries
  ...["hf_", "gsk_", "xai-", "r8_"], // Hugging Face, Groq, xAI, Replicate
  ...["SG\\.", "dop_v1_", "shpat_", "lin_api_", "NRAK-"], // SendGrid, DigitalOcean, Shopify, Linear
  ...["sbp_", "pscale_tkn_", "AGE-SECRET-KEY-1"], // Supabase, PlanetScale, age
].join("|");

// The search must take time linear in the length of the text. So a repetition without a limit may only begin at the
// beginning of a word, or be the end of a pattern.
/** Patterns of secrets. */
const FORMS: readonly RegExp[] = [
  new RegExp(`(?<![\\w-])(?<secret>(?:${PREFIXES})(?=[\\w-]{0,200}\\d)[\\w-]{16,}(?:\\.[\\w-]+)*)`, "dg"),
  new RegExp(`(?<![\\w-])(?<secret>key-[\\da-f]{32}(?![\\w-])|${VENDOR_TOKENS.join("|")})`, "dg"),
  /(?<![A-Z0-9])(?<secret>A(?:KI|SI|BI|CC)A[A-Z0-9]{16})(?![A-Z0-9])/dg, // AWS
  /(?<!\w)(?:discord(?:app)?\.com\/api\/webhooks\/\d{15,20}\/|bot(?=\d))(?<secret>[\w-]{60,100}|\d{8,10}:AA[\w-]{33})/dg,
  /(?<!\w)(?<secret>\d{8,10}:AA[\w-]{33})(?![\w-])/dg, // Telegram
  /(?<!\w)curl(?=\s)[^\n]{0,300}?\s(?:-u|--user)[\s=]{1,4}["']?[^\s:"']{1,100}:(?<secret>[^\s"']{1,200})/dg,
  /(?<![\w-])(?<secret>eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)*)/dg, // a JSON Web Token
  // If the end of a private key is missing, all text after its beginning counts as the key.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?<secret>[\s\S]*?)(?:-----END|$)/dg,
  // The password in a URL. If the part before the path contains `@`, everything between `:` and `@` that isn't a port
  // counts as the password, even with unescaped characters.
  /:\/\/[^\s"'`<>:@/?#]{0,200}:(?<secret>[^\s"'`<>/?#]{1,1000}|(?!\d*(?:[/?#]|$))(?:(?!:\/\/)[^\s"'`<>]){1,1000})@/dg,
];

// With `hashes: false`, only single words that look like access tokens count, because people mention hashes to identify
// something (e.g. a commit).
/**
 * Returns the ranges of secrets that can be recognised by their form. With `hashes: true`, any text of at least 32
 * characters that is as irregular as a hash counts as a secret.
 */
export const secretsByForm = (text: string, { hashes }: { readonly hashes: boolean }): readonly Span[] => [
  ...FORMS.flatMap((form) => secretsBy(form, text)),
  ...(hashes ? hashesIn(text) : tokensIn(text)),
];

const PATH = /[\w.~+/@%-]{32,}/g;
const PART = /[^/@%]+/g;

/** Returns the ranges of texts that look like hashes. */
function hashesIn(text: string): readonly Span[] {
  // A path or address is split at slashes first. But base64 contains slashes, too, so the whole text is checked if none
  // of its parts looks like a hash.
  return [...text.matchAll(PATH)].flatMap(({ 0: path, index: start }) => {
    const parts = [...path.matchAll(PART)].filter(([part]) => isHash(part));
    if (parts.length === 0 && isHash(path)) return [[start, start + path.length] as const];
    return parts.map(({ 0: part, index }) => [start + index, start + index + part.length] as const);
  });
}

const WORD = /(?<![\w+/=-])(?!sha\d{3}-)(?<secret>[\w+=-]{20,200})(?![\w+/=-])/dg;

const tokensIn = (text: string): readonly Span[] =>
  secretsBy(WORD, text).filter(([from, end]) => {
    const word = text.slice(from, end);
    return isIrregular(word, 2.5) && /[a-z]/.test(word) && /[A-Z]/.test(word);
  });

const isHash = (text: string): boolean =>
  isIrregular(text, 3.5) && /[a-z]/i.test(text) && text.replaceAll(/[^a-z\d]/gi, "").length >= 32;

const FEWEST_CHARACTERS = 10;
/** Matches UUIDs. They are identifiers, not secrets. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Whether a text looks random: its runs of small letters, capitals or digits have at most `longestPart` characters on
 * average.
 */
function isIrregular(text: string, longestPart: number): boolean {
  // In names, these runs are longer.
  const signs = text.match(/[a-z\d]/gi) ?? [];
  // A capital and the small letters after it count as one part.
  const parts = text.match(/[A-Z]+[a-z]*|[a-z]+|\d+/g) ?? [];
  return (
    /\d/.test(text) &&
    signs.length <= longestPart * parts.length &&
    new Set(signs).size >= FEWEST_CHARACTERS &&
    !UUID.test(text)
  );
}

/** The end of the name of a secret (e.g. `DB_PASSWORD`, `apiKey`, `x-api-key`). */
const NAME =
  "(?:password|passwd|passphrase|pwd|(?<![a-z])pass|(?<=[_-])(?:auth|pw)|secret|credentials?|token|authorization|session[-_.]?id|(?:secret|api|access|account|auth|private|signing|encryption)[-_.]?key)";
const VALUE = "[^\\s\"'`,;&)}\\]<>|]";

// The user in a URL doesn't count as a name.
/** Matches `name=value` and `"name": "value"`, even with escaped quotes. */
const ASSIGNED = new RegExp(
  `${NAME}(?<!//[\\w.~+%-]{0,80})(?![\\w.~+/@%-])["'\`\\\\]{0,2}(?<before>\\s{0,4})(?<sign>[=:])>?(?<after>\\s{0,4})` +
    `(?:\\\\?(?<quote>["'\`])(?<quoted>(?:(?!\\\\?\\k<quote>)[\\s\\S]){1,1024})\\\\?\\k<quote>|\\\\?["'\`]?(?<plain>${VALUE}+))`,
  "dgi",
);
/** Matches a command-line option with its value (e.g. `--password value`). */
const OPTION = new RegExp(
  `(?<![\\w.~+/@%-])-[\\w-]{0,60}?${NAME}\\s{1,4}["'\`]?(?<secret>(?![=:])${VALUE}+)`,
  "dgi",
);
const behind = (schemes: string): RegExp =>
  new RegExp(`(?<![\\w-])(?:${schemes})\\s{1,4}(?<secret>${VALUE}{8,})`, "dgi");
// Unlike the words in `OTHERS`, `bearer` isn't a word of normal sentences.
/** Matches a token after the word `bearer`. */
const BEARER = behind("bearer");
const OTHERS = behind("basic|token|digest|apikey");
const IS_SCHEME = /^(?:bearer|basic|token|digest|apikey)$/i;

/**
 * Matches words after the name of a secret that describe the secret but aren't its value (e.g. `password: required`).
 */
export const REMARK =
  /^(?:required|missing|invalid|expired|revoked|empty|wrong|incorrect|unknown|denied|unauthorized|forbidden|null|undefined|none|true|false|string|number|boolean)$/i;

const tokensBy = (scheme: RegExp, text: string): readonly Span[] =>
  secretsBy(scheme, text).filter(([from, end]) => isOpaque(text.slice(from, end), 8));

// In a sentence, a word such as `Basic` may have another meaning.
/** Returns the ranges of values after words such as `Basic` or `token`. */
export const schemeTokens = (text: string): readonly Span[] => tokensBy(OTHERS, text);

const HEADER =
  /authorization["'\\]{0,2}\s{0,4}[:=]\s{0,4}["']?(?:basic|token|digest|apikey)\s{1,4}(?<secret>[^\s"',]{8,})/dgi;

/** Returns the ranges of values after the name of a secret, in the forms of programs, configurations and protocols. */
export function namedSecrets(text: string): readonly Span[] {
  const found = [...tokensBy(BEARER, text), ...secretsBy(OPTION, text), ...secretsBy(HEADER, text)];
  ASSIGNED.lastIndex = 0;
  for (let match = ASSIGNED.exec(text); match !== null; match = ASSIGNED.exec(text)) {
    const { groups = {}, indices } = match;
    const span = isValue(groups) ? (indices?.groups?.["quoted"] ?? indices?.groups?.["plain"]) : undefined;
    if (span !== undefined) found.push(span);
    // The text after the name isn't a value, but it may contain the name of another secret.
    else ASSIGNED.lastIndex = indices?.groups?.["sign"]?.[1] ?? match.index + 1;
  }
  return found;
}

/**
 * Whether the text after a name and a sign (`=` or `:`) is the value of a secret, not a description of it (e.g.
 * `password: required`).
 */
function isValue({ sign, before, after, quoted, plain = "" }: Readonly<Record<string, string>>): boolean {
  // After `=`, the text usually is a value.
  if (quoted !== undefined) return sign === "=" || !(/\s/.test(quoted) || REMARK.test(quoted));
  if (IS_SCHEME.test(plain) || isCode(plain)) return false;
  return (sign === "=" && before === "" && after === "") || isOpaque(plain, 4);
}

/** Whether the text after a name is an expression of a program or a placeholder, e.g. `process.env.DB_PASSWORD`. */
export const isCode = (value: string): boolean =>
  /^(?:[<$%{]|your[_-]|x{3}|\*{3}|[a-z_]\w*(?:\.\w+)*[([]|(?:process|os|env|import|config|settings|self|this|request|req|form|db)\.)/i.test(
    value,
  );

/** Whether a text can't be a word of a normal sentence. A text shorter than `shortest` characters may be one. */
const isOpaque = (given: string, shortest: number): boolean =>
  given.length >= shortest && (given.length >= 20 || /[^a-z.:!?]/i.test(given));
