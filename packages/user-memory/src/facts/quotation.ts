import * as z from "zod";
import type { StoredFact } from "../backend.ts";
import type { Quotation } from "../fact.ts";
import { textSchema } from "../validation.ts";

const MAX_QUESTION = 1_000;
const MAX_PARAPHRASE = 2_000;
/** Maximum number of paraphrases in the option `quotation` of `remember`. A call with more is refused. */
const MAX_GIVEN = 32;
/** Maximum number of paraphrases that are stored for a quotation. */
const MAX_STORED_PARAPHRASES = 4;

/** The stored details of a quotation. The quoted words themselves are the text of the fact. */
export interface QuotationDetails {
  readonly from: Quotation["from"];
  readonly question: string | null;
  /** A model's sentences with the meaning of the quoted words. They are searched but never shown. */
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

/** Parses the details of a quotation. Returns `null` for a fact that isn't a quotation. */
export function detailsOf({ quotation }: Quoted): QuotationDetails | null {
  if (quotation === null) return null;
  const parsed = quotationSchema.safeParse(JSON.parse(quotation));
  if (!parsed.success) throw new Error("a stored quotation has an unknown format; upgrade this process");
  return parsed.data;
}

export const writeDetails = (details: QuotationDetails): string => JSON.stringify(details);

/** Converts a stored fact into the `Quotation` that callers get. Returns `undefined` if the fact isn't a quotation. */
export function toQuotation(stored: Quoted): Quotation | undefined {
  // Without paraphrases, because they could be mistaken for the user's words.
  const details = detailsOf(stored);
  if (details === null) return undefined;
  const { from, question } = details;
  return Object.freeze({ from, ...(question === null ? {} : { question }) });
}

/**
 * Returns the text that identifies a fact. For a quotation that answers a question, this is the question with the
 * answer.
 */
export function wordingOf({ fact, quotation }: Pick<StoredFact, "fact" | "quotation">): string {
  const question = detailsOf({ quotation })?.question ?? null;
  return question === null ? fact : `${question}\n${fact}`;
}

/** Adds paraphrases to the details of a quotation, up to `MAX_STORED_PARAPHRASES` in all. */
export const withParaphrases = (
  details: QuotationDetails,
  { paraphrases }: Pick<QuotationDetails, "paraphrases">,
): QuotationDetails => ({
  ...details,
  paraphrases: [...new Set([...details.paraphrases, ...paraphrases])].slice(0, MAX_STORED_PARAPHRASES),
});
