import { namedSecrets, schemeTokens, secretsByForm } from "./secret-patterns.ts";

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
