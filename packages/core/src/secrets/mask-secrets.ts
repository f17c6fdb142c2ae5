import { findSecrets } from "./find-secrets.ts";
import { openReader } from "./reader.ts";

/** What stands in place of a secret. */
const MASK = "[masked]";

/**
 * The text with what looks like a secret replaced by `[masked]`: keys of well-known services, tokens behind `Bearer` and the
 * like, what follows a name such as `password=` or `"apiKey":`, passwords in URLs, private keys in PEM, and tokens of 32
 * characters and more that look random, hashes among them; UUIDs stay. The rest is as it was.
 *
 * It goes by how things look, so it is a net and no wall: a secret that looks like a word isn't found. Takes time that
 * grows with the length of the text and no faster.
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
