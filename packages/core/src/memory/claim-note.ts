import type { ConversationMemory } from "@jaf/memory";
import { lazy } from "@jaf/memory/engine";
import * as z from "zod";
import { isAhead, type Lease } from "./lease.ts";

/** Beside the summary's own key: a claim must not overwrite a summary. */
export const CLAIM_KEY = "jafSummaryClaim";

const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 15 * 60_000;

/** Which run is about to make a summary, until when that counts, and how the last attempts went. */
export interface ClaimNote extends Lease {
  /** Random, of one attempt. */
  readonly id: string;
  /** How many attempts in a row have failed before. Absent: none. */
  readonly failures?: number | undefined;
  /** Milliseconds since 1970, by the store's clock, until which nobody should try again. Absent: at once. */
  readonly retryAt?: number | undefined;
}

const claimNote = lazy(() =>
  z.object({
    id: z.string().max(64),
    until: z.number(),
    leaseMs: z.number().min(0).optional().catch(undefined),
    failures: z.int().min(0).optional().catch(undefined),
    retryAt: z.number().optional().catch(undefined),
  }),
);

type Metadata = Pick<ConversationMemory, "metadata">;

/** Metadata may have been written by anybody: what isn't as the engine writes it is as if it weren't there. */
export const readClaim = ({ metadata }: Metadata): ClaimNote | undefined =>
  claimNote().safeParse(metadata?.[CLAIM_KEY]).data;

export const claimMetadata = (claim: ClaimNote): Readonly<Record<string, unknown>> => ({
  [CLAIM_KEY]: claim,
});

/** After an attempt that failed: each run would spend the whole time on a summarizer that is broken. */
export function failedClaim(id: string, previous: ClaimNote | undefined, now: number): ClaimNote {
  const failures = (previous?.failures ?? 0) + 1;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
  return { id, until: 0, failures, retryAt: now + pauseMs };
}

/** Whether it has failed lately. */
export const isPaused = (claim: ClaimNote | undefined, now: number): boolean =>
  claim?.retryAt !== undefined && isAhead(claim.retryAt, { now, span: LONGEST_PAUSE_MS });
