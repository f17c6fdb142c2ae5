import { type Span, secretsBy } from "./span.ts";

/** How keys begin that services give out; 16 characters and more follow, one of which is a digit. */
const PREFIXES = [
  ...["sk-", "[prs]k_(?:live|test)_", "whsec_"], // OpenAI, Anthropic, DeepSeek, OpenRouter, Stripe, Clerk
  ...["gh[oprsu]_", "github_pat_", "glpat-"], // GitHub, GitLab
  ...["xox[abeprs]-", "xapp-"], // Slack
  ...["AIza", "ya29\\.", "GOCSPX-"], // Google
  ...["npm_", "pypi-", "dckr_pat_"], // registries of packages
  ...["hf_", "gsk_", "xai-", "r8_"], // Hugging Face, Groq, xAI, Replicate
  ...["SG\\.", "dop_v1_", "shpat_", "lin_api_"], // SendGrid, DigitalOcean, Shopify, Linear
  ...["sbp_", "pscale_tkn_", "AGE-SECRET-KEY-1"], // Supabase, PlanetScale, age
].join("|");

/** What goes on without a bound begins at the beginning of a word or ends a pattern: so the time is linear in a text's length. */
const FORMS: readonly RegExp[] = [
  new RegExp(`(?<![\\w-])(?<secret>(?:${PREFIXES})(?=[\\w-]{0,200}\\d)[\\w-]{16,}(?:\\.[\\w-]+)*)`, "dg"),
  /(?<![A-Z0-9])(?<secret>A(?:KI|SI)A[A-Z0-9]{16})(?![A-Z0-9])/dg, // AWS
  /(?<![\w-])(?<secret>eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)*)/dg, // a JSON Web Token
  // A private key that is cut off reaches to the end.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?<secret>[\s\S]*?)(?:-----END|$)/dg,
  // A URL's password. Where its authority holds no `@`, what isn't a port is a password with characters that should be escaped.
  /:\/\/[^\s"'`<>:@/?#]{0,200}:(?<secret>[^\s"'`<>/?#]{1,1000}|(?!\d*(?:[/?#]|$))(?:(?!:\/\/)[^\s"'`<>]){1,1000})@/dg,
];

/**
 * Secrets that their form gives away. With `hashes`, text of 32 characters and more that is as irregular as a hash is one;
 * without, only words such as tokens are, since a hash names something where people speak of it.
 */
export const secretForms = (text: string, { hashes }: { readonly hashes: boolean }): readonly Span[] => [
  ...FORMS.flatMap((form) => secretsBy(form, text)),
  ...(hashes ? hashesIn(text) : tokensIn(text)),
];

const PATH = /[\w.~+/@%-]{32,}/g;
const PART = /[^/@%]+/g;

/** Of a path or an address its parts; in base64 there are slashes, too. */
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
/** It names something. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** In random text, words, capitals and numbers are shorter than in any name: `longestPart` characters at most on average. */
function isIrregular(text: string, longestPart: number): boolean {
  const signs = text.match(/[a-z\d]/gi) ?? [];
  // A capital and the small letters behind it are one word.
  const parts = text.match(/[A-Z]+[a-z]*|[a-z]+|\d+/g) ?? [];
  return (
    /\d/.test(text) &&
    signs.length <= longestPart * parts.length &&
    new Set(signs).size >= FEWEST_CHARACTERS &&
    !UUID.test(text)
  );
}
