import { findSecrets } from "./find-secrets.ts";
import { openReader } from "./reader.ts";

/** Replaces a secret. */
const MASK = "[masked]";

/**
 * The text, with `[masked]` in place of everything that looks like a secret: keys of well-known services, tokens after `Bearer`
 * and the like, values after a name such as `password=` or `"apiKey":`, passwords in URLs, private keys in PEM, and tokens of
 * 32 characters and more that look random, including hashes. UUIDs and all other text stay unchanged.
 *
 * It is a heuristic: a secret that looks like a word isn't found. Takes time linear in the length of the text.
 */
export const maskSecrets = (text: string): string => maskCounted(text).masked;

/** With how many characters were looked at. */
export function maskCounted(text: string): { readonly masked: string; readonly work: number } {
  const reader = openReader(text);
  const spans = findSecrets(reader);
  let masked = "";
  let at = 0;
  for (const [from, end] of spans) {
    masked += text.slice(at, from) + MASK;
    at = end;
  }
  return { masked: spans.length === 0 ? text : masked + text.slice(at), work: reader.work() };
}
