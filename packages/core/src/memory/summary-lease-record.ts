import type { ConversationMemory } from "@jaf/memory";
import { lazy } from "@jaf/memory/engine";
import * as z from "zod";
import { isInFuture, type Lease } from "./metadata-lease.ts";

/** A key of its own, beside the summary's: writing the lease must not overwrite the summary. */
export const SUMMARY_LEASE_KEY = "jafSummaryClaim";

const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 15 * 60_000;

/** The lease of making the summary: which attempt has it, until when, and how the last attempts went. The names are stored. */
export interface SummaryLeaseRecord extends Lease {
  /** The random id of the attempt. */
  readonly id: string;
  /** How many attempts in a row have failed. Absent: none. */
  readonly failures?: number | undefined;
  /** Milliseconds since 1970, by the store's clock, before which no run tries again. Absent: no pause. */
  readonly retryAt?: number | undefined;
}

const summaryLeaseSchema = lazy(() =>
  z.object({
    id: z.string().max(64),
    until: z.number(),
    leaseMs: z.number().min(0).optional().catch(undefined),
    failures: z.int().min(0).optional().catch(undefined),
    retryAt: z.number().optional().catch(undefined),
  }),
);

type Metadata = Pick<ConversationMemory, "metadata">;

/** Anybody may have written metadata: `undefined` for what isn't as the engine writes it. */
export const readSummaryLease = ({ metadata }: Metadata): SummaryLeaseRecord | undefined =>
  summaryLeaseSchema().safeParse(metadata?.[SUMMARY_LEASE_KEY]).data;

export const summaryLeaseMetadata = (record: SummaryLeaseRecord): Readonly<Record<string, unknown>> => ({
  [SUMMARY_LEASE_KEY]: record,
});

/** After a failed attempt. Without the pause, each run would wait for the whole timeout of a broken summarizer. */
export function failedSummaryLease(
  id: string,
  previous: SummaryLeaseRecord | undefined,
  now: number,
): SummaryLeaseRecord {
  const failures = (previous?.failures ?? 0) + 1;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
  return { id, until: 0, failures, retryAt: now + pauseMs };
}

/** Whether the last attempt failed so recently that no run tries again yet. */
export const isSummaryPaused = (record: SummaryLeaseRecord | undefined, now: number): boolean =>
  record?.retryAt !== undefined && isInFuture(record.retryAt, { now, span: LONGEST_PAUSE_MS });
