import { ownField } from "../codec/same-json.ts";
import { MAX_DEPTH } from "../runtime/depth.ts";
import { isPlainObject } from "../runtime/objects.ts";

/**
 * Whether a store returns `b` for `a`. The order of keys doesn't matter, and an `undefined` field counts as absent. Other
 * than in `sameJson`, a `Date`, a `URL` and bytes only equal themselves, because stores don't return them as text.
 */
export const isExact = (a: unknown, b: unknown): boolean => isExactAt(a, b, 0);

function isExactAt(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isExactAt(item, b[index], depth + 1));
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const same = (key: string): boolean => isExactAt(ownField(a, key), ownField(b, key), depth + 1);
  return [...Object.keys(a), ...Object.keys(b)].every(same);
}
