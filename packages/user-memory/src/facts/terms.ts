import type { StoredFact, TermWeight } from "../backend/backend.ts";
import { termsOf } from "../ranker/index.ts";
import { contentOf } from "./digests.ts";
import { detailsOf } from "./quotation.ts";

type Indexed = Pick<StoredFact, "fact" | "evidence" | "saidAt" | "quotation">;

/** What a fact is found by: its own words and those that it was extracted from; of a quotation, its question and paraphrases, too. */
export function termsOfFact({ fact, evidence, saidAt, quotation }: Indexed): readonly TermWeight[] {
  const { question = null, paraphrases = [] } = detailsOf({ quotation }) ?? {};
  const texts = [fact, evidence === fact ? null : evidence, question, ...paraphrases];
  const text = texts.filter((one) => one !== null).join("\n");
  return termsOf(text, saidAt === null ? {} : { saidAt });
}

/** The words that a fact itself says, as stems: none that a model chose to find it by. */
export const ownContent = ({ fact }: Pick<StoredFact, "fact">): ReadonlySet<string> =>
  contentOf(termsOf(fact));
