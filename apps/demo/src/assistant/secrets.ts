const NAMES =
  "(?:password|passwort|passphrase|passcode|pass ?code|pwd|pins?|pin ?(?:code|number)|api[ _-]?key|(?:secret|private|access|licen[cs]e|encryption)[ _-]?key|(?:access|auth|api|bearer|refresh|session|security)?[ _-]?token|(?:credit|debit|bank) ?card(?: number)?|card ?number|cvv|cvc|security ?code|(?:one[- ]time|2fa|otp|recovery|backup|login|door|alarm|gate|access|unlock|verification) ?code|otp|seed ?phrase|recovery ?phrase|ssn|social security(?: number)?|(?:login )?credentials?)";
const NAMED_ONLY = new RegExp(`^(?:[a-z' -]{0,40}\\s)?${NAMES}(?:\\s[a-z ]{0,20})?$`, "i");
/** `my password is …`, `the wifi password: …`, `my pin's 1234`, `API_KEY=…`. */
const GIVEN = new RegExp(
  `(?:\\b|_)${NAMES}\\b(?:\\s(?:for|of|to|at|on)\\s[^.!?\\n:=]{1,40}?)?(?:\\s+(?:is|are|was|will be|equals)(?:\\s+now)?\\s*:?|['’]s|\\s*[:=]|\\s+to)\\s*["'“\`]?(\\S[^\\n]*)`,
  "gi",
);
/** `hunter2 is my password`, `use hunter2 as my password`. */
const GIVEN_BEFORE = new RegExp(
  `(\\S+)["'”\`]?\\s+(?:is|as)\\s+(?:my|the|our|your)\\s+(?:[\\w-]+\\s+){0,2}${NAMES}\\b`,
  "gi",
);
/** `my pin 1234`, `password hunter2`: a value with a digit may follow at once. */
const FOLLOWED = new RegExp(`\\b${NAMES}\\s+["'“\`]?(?=[^\\s]*\\d)[^\\s]{4,}`, "i");
/** What is said of a secret without giving it. */
const SAYS_OTHER =
  /^(?:not|no|n't|too|very|so|quite|really|wrong|expired|expiring|weak|strong|lost|forgotten|stolen|missing|safe|unsafe|an?|in|on|at|the|only|being|stored|kept|saved|gone|easy|hard|broken|blocked|locked|required|needed|invalid|incorrect|correct|old|new|compromised|secret|private|what|never|always|still|where|how|why|it|that|this|my|your|reset|change|changed|due|about|for|of|and|or|leaked|valid|mandatory|longer|shorter|short|long)\b/i;
const FORMS: readonly RegExp[] = [
  /(?<![\w-])(?:sk|pk|rk)[-_][\w-]{6,}/,
  /(?<!\w)(?:gh[opusr]_|github_pat_|glpat-|xox[abeprs]-|npm_|hf_|AIza|SG\.|ya29\.)[\w-]{8,}/,
  /(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{12,}/,
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}/,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/,
  /:\/\/[^\s:@/]{1,100}:[^\s@/]{1,200}@/,
  /\bbearer\s+[\w.~+/-]{12,}/i,
];
const LONG_NUMBER = /(?<![\d.+])\d(?:[ -]?\d){12,18}(?![\d.]?\d)/g;

/**
 * Whether a text gives a password, a PIN, a key, a token or the number of a payment card. It errs on the side of silence: a
 * sentence that only looks like it isn't remembered either.
 */
export function holdsSecret(text: string): boolean {
  return (
    FORMS.some((form) => form.test(text)) ||
    FOLLOWED.test(text) ||
    [...text.matchAll(GIVEN)].some(({ 0: given, 1: value = "" }) => isGiven(given, value)) ||
    [...text.matchAll(GIVEN_BEFORE)].some(
      ({ 1: value = "" }) =>
        !/^(?:this|that|it|what|which|here|there|same)$/i.test(value) && /\w/.test(value),
    ) ||
    [...text.matchAll(LONG_NUMBER)].some(([number]) => isCardNumber(number.replaceAll(/\D/g, "")))
  );
}

/** A pin without a digit is one of another kind. */
const isGiven = (given: string, value: string): boolean =>
  /\w/.test(value) && !SAYS_OTHER.test(value) && (/\d/.test(value) || !/\bpins?\b/i.test(given));

/** Whether `thing`, as in "what is my …?", is one that is never kept. */
export const isSecretThing = (thing: string): boolean => NAMED_ONLY.test(thing.trim());

/** Luhn's check. */
function isCardNumber(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * ((index % 2) + 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0 && new Set(digits).size > 1;
}
