import { text } from "./decoding.ts";

/** SHA-1, hex. */
const DIGEST_LENGTH = 40;

/**
 * Where the JSON text of a stored message lies in its item of the list: a space before it says that it is a tool result,
 * and a digest follows, unless it was written before digests were kept.
 */
function boundsOf(item: string): readonly [from: number, end: number] {
  return [item.startsWith(" ") ? 1 : 0, item.endsWith("}") ? item.length : item.length - DIGEST_LENGTH];
}

export const bodyOf = (reply: unknown): string => {
  const item = text(reply);
  return item.slice(...boundsOf(item));
};

export function itemOf(reply: unknown): { readonly body: string; readonly digest: string | null } {
  const item = text(reply);
  const [from, end] = boundsOf(item);
  return { body: item.slice(from, end), digest: end === item.length ? null : item.slice(end) };
}
