const DIGITS = /(?<![\d.+])\d(?:[ -]?\d){12,18}(?![\d.]?\d)/g;

/** Whether the text contains the number of a payment card, by the check digit (Luhn's algorithm). */
export const holdsCardNumber = (text: string): boolean =>
  [...text.matchAll(DIGITS)].some(([number]) => {
    const digits = [...number.replaceAll(/\D/g, "")].reverse();
    const sum = digits.reduce((total, digit, index) => {
      const value = Number(digit) * ((index % 2) + 1);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    return sum % 10 === 0 && new Set(digits).size > 1;
  });

const IBAN = /(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Z0-9])/gi;

/** Whether the text contains an IBAN, by its check digits. */
export const holdsIban = (text: string): boolean =>
  [...text.matchAll(IBAN)].some(([found]) => {
    const iban = found.replaceAll(" ", "").toUpperCase();
    // A word after the number may look like a part of it.
    return Array.from({ length: 20 }, (_, index) => iban.slice(0, 15 + index)).some(
      (start) => start.length <= iban.length && remainder(start) === 1,
    );
  });

/** The remainder of an IBAN when divided by 97, with letters as numbers from 10 to 35. */
const remainder = (iban: string): number =>
  [...(iban.slice(4) + iban.slice(0, 4))]
    .map((sign) => Number.parseInt(sign, 36))
    .reduce((rest, value) => (rest * (value > 9 ? 100 : 10) + value) % 97, 0);

// Twelve to 24 words in lower case, without the words that join a sentence: the list of BIP-39 has none of these.
const SEED =
  /(?:seed|recovery|mnemonic|wallet|ledger|trezor|metamask|passphrase|(?:12|15|18|21|24|twelve|twenty[- ]four)[ -]words?)[^\n]{0,60}?(?<![\p{L}\d])(?:(?:\d{1,2}[.)]? ?)?(?!(?:the|and|for|are|was|has|have|had|with|not|but|from|his|her|its|our|were|been|my|is|to|of|in|it|on|or|as|at|if)(?!\p{L}))[a-z]{3,8}(?:[ \n]|, ?| ?$)){12,24}/iu;

/** Whether the text contains the seed phrase of a wallet (BIP-39). */
export const holdsSeedPhrase = (text: string): boolean => SEED.test(text);

const CODE_NAME =
  "(?:otp|(?:verification|security|one[- ]?time|log[- ]?in|sign[- ]?in|confirmation|2fa|two[- ]factor|auth(?:entication)?|access|recovery|backup|sms) ?(?:pass)?(?:codes?|pin|password))";
const CODE_VALUE = "(?<![\\d.,:/-])(?:[A-Z]-)?\\d{3}[ -]?\\d{1,5}(?![\\d%€$]|[.,:/-]\\d)";
/** Matches a one-time code within 40 characters of its name. */
const CODES = [
  new RegExp(`(?<!\\p{L})${CODE_NAME}(?!\\p{L})[^\\n.!?]{0,40}?${CODE_VALUE}`, "iu"),
  new RegExp(`${CODE_VALUE}[^\\n.!?]{0,40}?(?<!\\p{L})${CODE_NAME}(?!\\p{L})`, "iu"),
];

/** Whether the text contains a one-time code, e.g. `Your verification code is …`. */
export const holdsOneTimeCode = (text: string): boolean => CODES.some((form) => form.test(text));
