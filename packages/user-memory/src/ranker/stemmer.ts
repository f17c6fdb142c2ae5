import * as porter2 from "porter2";
import { lemmaOf } from "./lemmas.ts";

/** One with `universe` by the rules. */
const APART = "university";

/**
 * The stem of an English word: its base form, if it is an irregular form or an everyday synonym (`bought` and `buying` both give
 * `buy`), then by the rules of Porter2. A word of anything but `a` to `z`, or of more than 40 letters, comes back as it is. Lower
 * case is expected. Stored indexes hold these stems, so another version of the rules needs a new index.
 */
export function stem(word: string): string {
  const base = lemmaOf(word) ?? word;
  return base !== APART && /^[a-z]{3,40}$/.test(base) ? porter2.stem(base) : base;
}
