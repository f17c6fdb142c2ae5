import type { StoredFact, TermWeight } from "../backend/backend.ts";
import { termsOf } from "../recall/index.ts";

type Indexed = Pick<StoredFact, "fact" | "evidence" | "saidAt">;

/** What a fact is found by: its own words and those that it was drawn from. */
export function termsOfFact({ fact, evidence, saidAt }: Indexed): readonly TermWeight[] {
  const text = evidence === null || evidence === fact ? fact : `${fact}\n${evidence}`;
  return termsOf(text, saidAt === null ? {} : { saidAt });
}
