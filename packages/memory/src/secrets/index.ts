import { holdsCardNumber } from "./card.ts";
import { secretForms } from "./forms.ts";
import { namedSecrets, schemeTokens } from "./named.ts";
import { tellsSecret } from "./told.ts";

/** Replaces a secret. */
const MASK = "[masked]";

/**
 * The text, with `[masked]` in place of everything that looks like a secret: keys of well-known services, tokens after `Bearer`
 * and the like, values after a name such as `password=` or `"apiKey":`, passwords in URLs, private keys in PEM, and tokens of
 * 32 characters and more that look random, including hashes. UUIDs and all other text stay unchanged.
 *
 * It is a heuristic: a secret that looks like a word isn't found. Takes time linear in the length of the text.
 */
export function maskSecrets(text: string): string {
  const found = [...secretForms(text, { hashes: true }), ...namedSecrets(text), ...schemeTokens(text)];
  let masked = "";
  let at = 0;
  for (const [from, end] of found.toSorted(([a], [b]) => a - b)) {
    // One that begins within another ends with it, or behind it.
    if (from >= at) masked += text.slice(at, from) + MASK;
    at = Math.max(at, end);
  }
  return masked + text.slice(at);
}

/**
 * Whether a text that a person wrote gives a secret: what {@link maskSecrets} masks but hashes, a password, a PIN or a code
 * that a sentence tells (`my password is …`, in fifteen languages), or the number of a payment card. UUIDs, hashes, account
 * numbers and phone numbers aren't secrets. It is a heuristic, which sees a secret too many rather than one too few.
 */
export const holdsSecret = (text: string): boolean =>
  secretForms(text, { hashes: false }).length > 0 ||
  namedSecrets(text).length > 0 ||
  tellsSecret(text) ||
  holdsCardNumber(text);
