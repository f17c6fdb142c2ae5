/**
 * Resolves with the SHA-256 hash of a text, in hexadecimal digits. Resolves with `undefined` in a page without HTTPS, where
 * the web has no `crypto.subtle`.
 */
export async function sha256Hex(text: string): Promise<string | undefined> {
  // The web's own hash, because a library would be a tenth of a model package in a browser.
  const { subtle } = globalThis.crypto;
  if (subtle === undefined) return undefined;
  const bytes = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
