import { hash } from "node:crypto";

/**
 * The same for values that are equal as JSON, in whatever order their fields stand: SHA-256, base64url. Throws what can't
 * be JSON.
 */
export const fingerprint = (value: unknown): string =>
  hash("sha256", JSON.stringify(value, withSortedKeys) ?? "", "base64url");

function withSortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
