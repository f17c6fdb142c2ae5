import * as z from "zod";

const count = (byDefault: number) => z.int().min(1).default(byDefault);

export const limitsSchema = z
  .strictObject({
    maxFactLength: count(2_000),
    maxEvidenceLength: count(4_000),
    maxTags: count(32),
    maxTagLength: count(64),
    maxFacts: count(10_000),
    maxUntrustedFacts: count(5_000),
    maxQuarantined: count(1_000),
    maxQuotations: count(5_000),
    maxExtractedPerConversation: count(8),
    extractionWindowMs: count(60 * 60 * 1_000),
    maxSourceShare: z.number().gt(0).max(1).default(0.4),
  })
  .prefault({});

/** What one user's memory is bounded by. Lengths are in characters (UTF-16 units). */
export interface UserMemoryLimits {
  /** Default 2,000. */
  readonly maxFactLength: number;
  /** Longer evidence is cut. Default 4,000. */
  readonly maxEvidenceLength: number;
  /** Default 32. */
  readonly maxTags: number;
  /** Default 64. */
  readonly maxTagLength: number;
  /** Facts of a user but for quotations, whatever their status. Default 10,000. */
  readonly maxFacts: number;
  /** Of them, current and past ones that aren't the user's word: so there is always room for what is. Default 5,000. */
  readonly maxUntrustedFacts: number;
  /** Of them, facts that wait for review. Default 1,000. */
  readonly maxQuarantined: number;
  /**
   * Quotations of a user. When there are as many, some make room for new ones: of those that were never recalled, the
   * oldest; then the oldest. What was recalled is kept in mind from half as many on. Default 5,000.
   */
  readonly maxQuotations: number;
  /** Facts that a model worded, extracted from one conversation in a window; the next are quarantined. Default 8. */
  readonly maxExtractedPerConversation: number;
  /** In milliseconds. Default one hour. */
  readonly extractionWindowMs: number;
  /** The largest share of a recall that may be what a model worded of one source; at least one fact. Default 0.4. */
  readonly maxSourceShare: number;
}
