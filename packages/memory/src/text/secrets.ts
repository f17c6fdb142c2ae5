import { holdsCardNumber, namedSecrets, schemeTokens, secretsByForm } from "./secret-patterns.ts";

/** The text that stands in place of each secret. */
const MASK = "[masked]";

/**
 * Returns the text with `[masked]` in place of everything that looks like a secret:
 *
 * - keys of well-known services, and private keys in PEM,
 * - tokens after `Bearer` and similar words, and values after a name such as `password=` or `"apiKey":`,
 * - passwords in URLs,
 * - tokens of at least 32 characters that look random, including hashes.
 *
 * UUIDs and all other text stay unchanged. This is a heuristic: it doesn't find a secret that looks like a word. Takes
 * time linear in the length of the text.
 */
export function maskSecrets(text: string): string {
  const found = [...secretsByForm(text, { hashes: true }), ...namedSecrets(text), ...schemeTokens(text)];
  let masked = "";
  let at = 0;
  for (const [from, end] of found.toSorted(([a], [b]) => a - b)) {
    // A secret that begins inside another one adds no second mask.
    if (from >= at) masked += text.slice(at, from) + MASK;
    at = Math.max(at, end);
  }
  return masked + text.slice(at);
}

/**
 * Whether a person's text contains a secret: everything that {@link maskSecrets} masks except hashes, a password, PIN
 * or code in a sentence, or the number of a payment card.
 */
export const holdsSecret = (text: string): boolean =>
  // Sentences such as `my password is …` are found in fifteen languages. UUIDs, hashes, account numbers and phone
  // numbers aren't secrets. This is a heuristic that rather reports too much than too little.
  secretsByForm(text, { hashes: false }).length > 0 ||
  namedSecrets(text).length > 0 ||
  statesSecret(text) ||
  holdsCardNumber(text);

/** Names of secrets whose value may be any word. */
const WORDS =
  "passwords?|passwd|passphrases?|pass ?codes?|pwd|(?:api|secret|private|access|encryption)[ _-]?keys?";
/** Names of secrets whose value contains a digit or a sign. */
const CODES = [
  ...["pins?(?:[ -]?(?:code|number)s?)?", "cvv", "cvc", "otp", "ssn", "social security(?: number)?"],
  "(?:(?:access|auth|api|bearer|refresh|session|security)[ _-]?)?token",
  "(?:security|one[- ]time|2fa|recovery|backup|login|door|alarm|gate|access|unlock|verification) ?code",
  ...["(?:seed|recovery) ?phrase", "(?:login )?credentials?"],
].join("|");
const ELSEWHERE = [
  ...["(?:\\p{L}{1,20})?passwort", "kennwort", "mot de passe", "mdp", "contraseña", "clave", "senha"],
  ...["parola(?: d['’]ordine)?", "palavra-passe", "wachtwoord", "hasło", "пароль", "şifrem?", "पासवर्ड"],
].join("|");
/** Names of secrets in scripts without spaces between words. */
const JOINED = "密码|密碼|口令|パスワード|暗証番号|비밀번호|كلمة (?:السر|المرور)";
const NAME = `(?<!\\p{L})(?:(?<word>${WORDS})|(?<code>${CODES})|${ELSEWHERE})(?!\\p{L}|[ -]?manager)`;

const LINK = [
  "\\s{0,9}[:=：]\\s{0,9}",
  "\\s(?:is|are|was|were|will be|equals|to|ist|lautet|war|est|es|è|é|jest|это|है|هي)(?:\\snow)?\\s{1,9}",
  ...["['’]s\\s{1,9}", "[是は为為]\\s{0,9}", "[는은가]\\s{1,9}"],
].join("|");
const VALUE = "[\"'“„«「`]?(?<value>[^\\s\"'”“»」`，。]{3,100})";

/** Matches a name and then its value: `my password is …`, `the PIN of my card is …`, `Passwort: …`, `my pin 1234`. */
const GIVEN = new RegExp(
  `(?:${NAME}|${JOINED})(?:(?<between>[^\\n:=：.!?;]{0,40}?)(?<link>${LINK})|\\s{1,9})${VALUE}`,
  "giu",
);
/** Matches a value and then its name: `hunter2 is my password`, `use tiger as our password`. */
const GIVEN_BEFORE = new RegExp(
  `(?:(?<=(?:^|[.!?\\n]|(?<!\\p{L})use)\\s{0,9})(?<begins>)|)(?<!\\S)${VALUE}["'”\`]?\\s{1,4}(?:is|as)\\s(?:my|our|the)\\s(?:[\\w-]{1,20}\\s){0,2}${NAME}`,
  "giu",
);

/** Matches the beginning of a statement about a secret that doesn't contain the secret (e.g. `not safe`). */
const SAYS_OTHER =
  /^(?:not|too|very|so|quite|wrong|weak|strong|lost|forgotten|stolen|safe|unsafe|an?|in|on|at|the|kept|gone|easy|hard|broken|invalid|incorrect|correct|old|new|secret|private|what|never|always|still|where|how|why|when|who|it|that|this|these|those|my|your|reset|change|due|for|from|of|and|or|with|by|like|as|valid|mandatory|long|longer|short|shorter|more|less|same|here|there|which|one|no|\p{L}+(?:ed|ing|ly))(?!\p{L})/iu;

type Groups = Readonly<Record<string, string>>;
const NONE: Groups = {};

/** Whether a sentence states a password, code or token, in English or one of fourteen other languages. */
const statesSecret = (text: string): boolean =>
  [...text.matchAll(GIVEN)].some(({ groups = NONE }) => isGiven(groups)) ||
  [...text.matchAll(GIVEN_BEFORE)].some(
    ({ groups: { value = "", begins } = NONE }) =>
      isOdd(value) || (begins !== undefined && !SAYS_OTHER.test(value)),
  );

function isGiven(groups: Groups): boolean {
  const { word, code, between = "", link, value = "" } = groups;
  if (isOdd(value) || (/\p{Ll}\p{Lu}/u.test(value) && link !== undefined)) return true;
  if (code !== undefined || link === undefined) return false;
  if (/[:=：]/u.test(link)) return true;
  const isOfIt = between === "" || /^\s(?:for|of|to|at|on)\s/i.test(between);
  return word !== undefined && isOfIt && /^\s(?:is|are|will|equals)\b/i.test(link) && !SAYS_OTHER.test(value);
}

/** Whether a text can't be a word of a sentence, because it contains a digit or a sign between letters. */
const isOdd = (value: string): boolean => /\p{N}|\p{L}[^\p{L}\p{M}\p{N}'’-]+\p{L}/u.test(value);
