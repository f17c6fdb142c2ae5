import { holdsCardNumber, holdsIban, holdsOneTimeCode, holdsSeedPhrase } from "./secret-numbers.ts";
import { isCode, namedSecrets, REMARK, secretsByForm } from "./secret-patterns.ts";

/**
 * Whether a person's text contains a secret: everything that `maskSecrets` masks except hashes, a password, PIN or code
 * in a sentence, a one-time code, the seed phrase of a wallet, an IBAN, or the number of a payment card.
 */
export const holdsSecret = (text: string): boolean =>
  // Sentences such as `my password is …` are found in fifteen languages. UUIDs, hashes and phone numbers aren't secrets. This is a heuristic that rather reports too much than too little.
  secretsByForm(text, { hashes: false }).length > 0 ||
  namedSecrets(text).length > 0 ||
  statesSecret(text) ||
  holdsCardNumber(text) ||
  holdsIban(text) ||
  holdsSeedPhrase(text) ||
  holdsOneTimeCode(text);

/** Names of secrets whose value may be any word. */
const WORDS =
  "passwords?|pw(?= ?[:=])|pass(?= ?[:=])|passwd|passphrases?|pass ?codes?|pwd|(?:api|secret|private|access|encryption)[ _-]?keys?";
/** Names of secrets whose value contains a digit or a sign. */
const CODES = [
  ...["pins?(?:[ -]?(?:code|number)s?)?", "cvv", "cvc", "otp", "ssn", "social security(?: number)?"],
  "(?:(?:access|auth|api|bearer|refresh|session|security)[ _-]?)?token",
  "(?:security|one[- ]time|2fa|recovery|backup|login|door|alarm|gate|safe|lock|garage|access|unlock|verification) ?codes?",
  "(?:code|combination) (?:for|of|to) (?:the|my|our) (?:[\\w-]{1,20} )?(?:alarm|door|gate|safe|lock|phone|house|flat|garage|locker|bike|building)",
  "code (?:secret|pin|d['’]accès|de (?:la |ma )?(?:porte|carte|sécurité))|geheimzahl|(?:tür|zugangs|sicherheits|alarm|pin-?)code",
  "(?:código|codigo) (?:pin|de (?:acceso|acesso|seguridad|segurança|la puerta))|codice (?:pin|segreto|di (?:accesso|sicurezza))|pincode",
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
  "\\s(?:is|are|was|were|will be|equals|to|ist|lautet|war|est|c['’]est|es|è|é|jest|это|है|هي)(?:\\s(?:now|still|le|la))?\\s{1,9}",
  ...["['’]s\\s{1,9}", "[是は为為]\\s{0,9}", "[는은가]\\s{1,9}"],
].join("|");
const VALUE = "(?<quote>[\"'“„«「`])?(?<value>[^\\s\"'”“»」`，。]{3,100})";
/** Matches the name of a user and then a password, without words between: `username bob, password tiger`. */
const LOGIN =
  /(?<!\p{L})(?:user(?:name)?|login|account|e-?mail)[ :=][^\n]{1,60}?(?<![\p{L}_])(?:password|passwd|pass|pwd|pw) {0,3}[:=]? {1,3}["'`]?(?<value>[^\s"'`,;]{3,100})/giu;

/** Matches a name and then its value: `my password is …`, `the PIN of my card is …`, `Passwort: …`, `my pin 1234`. */
const GIVEN = new RegExp(
  `(?:${NAME}|${JOINED})(?:(?<between>[^\\n:=：.!?;]{0,40}?)(?<link>${LINK})|\\s{1,9})${VALUE}(?:(?=["'”»]?(?:[,;\\n]|$))(?<last>)|)`,
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

/** The same in other languages. */
const SAYS_OTHER_ELSEWHERE =
  /^(?:weg|falsch|sicher|unsicher|alt|neu|lang|kurz|geheim|abgelaufen|gesperrt|vergessen|faux|perdu|long|court|sûr|expiré|oublié|faible|fort|larga|corta|segura|débil|olvidada|incorrecta|nueva|vieja|lunga|corta|sicura|debole|sbagliata|scaduta|longa|curta|fraca|forte|errada|nova|velha|kwijt|fout|veilig|lang|kort|oud|nieuw|słabe|złe|stare|nowe|długie|\p{L}+(?:ée?|ada|ato|ata|ido))[.!?]?$/iu;

type Groups = Readonly<Record<string, string>>;
const NONE: Groups = {};

/** Whether a sentence states a password, code or token, in English or one of fourteen other languages. */
const statesSecret = (text: string): boolean =>
  [...text.matchAll(GIVEN)].some(({ groups = NONE }) => isGiven(groups)) ||
  [...text.matchAll(LOGIN)].some(({ groups: { value = "" } = NONE }) => isLoginValue(value)) ||
  [...text.matchAll(GIVEN_BEFORE)].some(
    ({ groups: { value = "", begins } = NONE }) =>
      isOdd(value) || (begins !== undefined && !SAYS_OTHER.test(value)),
  );

function isGiven(groups: Groups): boolean {
  const { word, code, between = "", link, value = "", last, quote } = groups;
  if (REMARK.test(value) || isCode(value)) return false;
  if (isOdd(value) || (/\p{Ll}\p{Lu}/u.test(value) && link !== undefined)) return true;
  if (code !== undefined || link === undefined) return false;
  if (/[:=：]/u.test(link)) return true;
  const isOfIt = between === "" || /^\s(?:for|of|to|at|on)\s/i.test(between);
  // In other languages, only a value at the end of a sentence counts, because words about the password follow as well.
  const isLast = between === "" && (last !== undefined || /[.!]$/.test(value));
  if (word === undefined) return isLast && !SAYS_OTHER_ELSEWHERE.test(value);
  return (
    isOfIt && /^\s(?:is|are|will|equals)\b/i.test(link) && (quote !== undefined || !SAYS_OTHER.test(value))
  );
}

const isLoginValue = (value: string): boolean =>
  isOdd(value)
    ? !isCode(value)
    : /^\p{L}+[.!]?$/u.test(value) && !SAYS_OTHER.test(value) && !OF_LOGIN.test(value);
/** Matches words after `password` in sentences about logins. */
const OF_LOGIN =
  /^(?:manager|reset|field|column|hash|form|page|input|box|policy|protection|change|if|when|is|are|was|has|had|should|must|can|will|does|works?|again|please|fields|hashes|strength|rules?|validation|attempts?|combination|pair|only|instead|via|using|before|after|during|into|first|twice|then|but|so|because|to|forgotten|recovery|logic|handling|security|storage|check|confirmation)[.!?]?$/iu;

/** Whether a text can't be a word of a sentence, because it contains a digit or a sign between letters. */
const isOdd = (value: string): boolean => /\p{N}|\p{L}[^\p{L}\p{M}\p{N}'’-]+\p{L}/u.test(value);
