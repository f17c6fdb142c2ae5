import * as z from "zod";
import type { StoredFact } from "../backend.ts";
import type { Quotation } from "../fact.ts";
import { textSchema } from "../validation.ts";

const MAX_QUESTION = 1_000;
const MAX_PARAPHRASE = 2_000;
/** So many are given at most, and so many are kept of one quotation: the first. */
const MAX_GIVEN = 32;
const MAX_STORED_PARAPHRASES = 4;

/** What is kept of a quotation beside its words. */
export interface QuotationDetails {
  readonly from: Quotation["from"];
  readonly question: string | null;
  /** Sentences of a model's about the words: they find the quotation, and are shown to nobody. */
  readonly paraphrases: readonly string[];
}

export const quotationSchema = z
  .strictObject({
    from: z.enum(["message", "text"] as const satisfies readonly Quotation["from"][]),
    question: textSchema(MAX_QUESTION).nullable().default(null),
    paraphrases: z
      .array(textSchema(MAX_PARAPHRASE))
      .max(MAX_GIVEN)
      .default([])
      .transform((given): readonly string[] => [...new Set(given)].slice(0, MAX_STORED_PARAPHRASES)),
  })
  .readonly();

type Quoted = Pick<StoredFact, "quotation">;

/** `null` for a fact that is no quotation. Throws if somebody has changed the row. */
export function detailsOf({ quotation }: Quoted): QuotationDetails | null {
  if (quotation === null) return null;
  const parsed = quotationSchema.safeParse(JSON.parse(quotation));
  if (!parsed.success) throw new Error("a quotation isn't as this package writes it");
  return parsed.data;
}

export const writeDetails = (details: QuotationDetails): string => JSON.stringify(details);

/** As callers see it: without the paraphrases, which nobody takes for the user's word then. */
export function toQuotation(stored: Quoted): Quotation | undefined {
  const details = detailsOf(stored);
  if (details === null) return undefined;
  const { from, question } = details;
  return Object.freeze({ from, ...(question === null ? {} : { question }) });
}

/** What a fact says: the same answer to another question says something else. */
export function wordingOf({ fact, quotation }: Pick<StoredFact, "fact" | "quotation">): string {
  const question = detailsOf({ quotation })?.question ?? null;
  return question === null ? fact : `${question}\n${fact}`;
}

/** The same words, found by more paraphrases. */
export const withParaphrases = (
  details: QuotationDetails,
  { paraphrases }: Pick<QuotationDetails, "paraphrases">,
): QuotationDetails => ({
  ...details,
  paraphrases: [...new Set([...details.paraphrases, ...paraphrases])].slice(0, MAX_STORED_PARAPHRASES),
});
