import { lazy } from "@jaf/memory/adapter";

/** Keys and tokens that their form gives away. */
const FORMS: readonly RegExp[] = [
  /(?<![\w-])(?:sk|pk|rk)[-_][\w-]{16,}/u,
  /(?<!\w)(?:gh[opusr]_|github_pat_|glpat-|xox[abeprs]-|npm_|hf_|AIza|SG\.|ya29\.)[\w-]{10,}/u,
  /(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/u,
  /(?<![\w-])eyJ[\w-]{8,2000}\.[\w-]{8,}/u,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/u,
  /:\/\/[^\s:@/]{0,100}:[^\s@/]{1,200}@/u,
  /(?<!\p{L})bearer\s{1,3}[\w.~+/-]{16,}/iu,
];
/** A word for a password or a code, a link to its value (`is`, `:`), and a value. */
const NAMED = lazy(
  () =>
    /(?:(?<!\p{L})(?:(?:wi-?fi|wlan|master)[ -]?)?(?:password|passwd|passphrase|passcode|pwd|pin|pin[ -]?code|cvv|cvc|api[ _-]?key|secret[ _-]?key|access[ _-]?token|(?:\p{L}{1,20})?passwort|kennwort|mot de passe|mdp|contraseña|clave|parola d['’]ordine|senha|palavra-passe|wachtwoord|hasło|пароль|şifre|şifrem|parola|पासवर्ड)|密码|密碼|口令|パスワード|暗証番号|비밀번호|كلمة (?:السر|المرور))(?![ -]?manager)(?<linked>[^\n:=：.!?]{0,40}?(?:\s*[:=：]\s*|\s(?:is|was|ist|lautet|war|est|es|è|é|to|jest|это|है|هي)\s+|[是は为為]\s*|[는은가]\s+)|\s+)["'“„«「`]?(?<value>[^\s"'”“»」`，。]{3,100})/giu,
);
const TOKEN = /(?<![\w+/=-])[\w+/=-]{20,200}(?![\w+/=-])/gu;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;
const HEX = /^[\da-f]+$/iu;
const DIGITS = /(?<![\d.+])\d(?:[ -]?\d){12,18}(?![\d.]?\d)/gu;

/**
 * Whether the text holds a password, a key or a token of an interface, or the number of a payment card. UUIDs, hashes,
 * account numbers and phone numbers aren't secrets.
 */
export function holdsSecret(text: string): boolean {
  return (
    FORMS.some((form) => form.test(text)) ||
    [...text.matchAll(NAMED())].some(({ groups }) =>
      isPassword(groups?.["value"] ?? "", groups?.["linked"] ?? ""),
    ) ||
    [...text.matchAll(TOKEN)].some(([token]) => isRandom(token)) ||
    [...text.matchAll(DIGITS)].some(([number]) => isCardNumber(number.replace(/\D/gu, "")))
  );
}

/** Behind a colon any word is a password; elsewhere one that isn't a word of a sentence. */
function isPassword(value: string, linked: string): boolean {
  const word = value.replace(/[.,;!?)]+$/u, "");
  if (/[=：:]\s*$/u.test(linked)) return word.length > 2 && !/\s/u.test(word);
  return (
    /\p{N}/u.test(word) ||
    /\p{L}[^\p{L}\p{M}\p{N}'’-]+\p{L}/u.test(word) ||
    (/\p{Ll}\p{Lu}/u.test(word) && linked.trim() !== "")
  );
}

function isRandom(token: string): boolean {
  if (UUID.test(token) || HEX.test(token) || token.includes("/")) return false;
  const changes = token.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/gu)?.length ?? 0;
  return /\d/u.test(token) && /[a-z]/u.test(token) && /[A-Z]/u.test(token) && changes >= 5;
}

/** Luhn's check. */
function isCardNumber(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * ((index % 2) + 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0 && new Set(digits).size > 1;
}
