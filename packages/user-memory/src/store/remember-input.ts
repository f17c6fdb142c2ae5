import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { StoredFact } from "../backend.ts";
import type { QuarantineReason } from "../fact.ts";
import { plausibleTime, saidTime } from "../facts/facts.ts";
import { quotationSchema, writeDetails } from "../facts/quotation.ts";
import type { UserMemoryLimits } from "../options.ts";
import {
  checkInput,
  dateSchema,
  factSchema,
  idSchema,
  perLimits,
  scoreSchema,
  tagsSchema,
  textSchema,
  trustSchema,
} from "../validation.ts";

const REASONS = ["external", "conflict", "rate", "link"] as const satisfies readonly QuarantineReason[];

const MAX_TEXT = 1_000_000;
/** Maximum position of a message. */
// Some databases store positions as 32-bit integers.
const MAX_POSITION = 2 ** 31 - 1;

const optionsSchema = (limits: UserMemoryLimits) =>
  z
    .strictObject({
      tags: tagsSchema(limits).default([]),
      score: scoreSchema.optional(),
      trust: trustSchema.optional(),
      key: idSchema.optional(),
      provenance: z
        .strictObject({
          conversationId: idSchema.optional(),
          position: z.int().min(0).max(MAX_POSITION).optional(),
          messageId: idSchema.optional(),
          author: idSchema.optional(),
          extractor: idSchema.optional(),
          evidence: textSchema(MAX_TEXT).optional(),
          saidAt: dateSchema.optional(),
        })
        .prefault({}),
      validFrom: dateSchema.optional(),
      validUntil: dateSchema.optional(),
      quarantine: z.enum(REASONS).optional(),
      quotation: quotationSchema.optional(),
      since: z.number().optional(),
    })
    .refine(
      ({ quotation, trust = "inferred", quarantine }) =>
        quotation === undefined || (trust === "inferred" && quarantine === undefined),
      { error: 'expected a quotation with the trust "inferred" and without quarantine' },
    )
    .prefault({});

const schemasOf = perLimits((limits) => ({ fact: factSchema(limits), options: optionsSchema(limits) }));

/** The validated arguments of `remember`, with default values and without implausible times. */
export interface RememberInput
  extends Pick<StoredFact, "id" | "fact" | "tags" | "score" | "trust" | "key" | "quarantine" | "quotation">,
    Pick<StoredFact, "conversationId" | "position" | "messageId" | "author" | "extractor" | "evidence">,
    Pick<StoredFact, "saidAt" | "validFrom" | "validUntil"> {
  /** Whether `remember` was called with a `validFrom` or `saidAt` that isn't too far in the past or future. */
  readonly isDated: boolean;
  readonly since: number | undefined;
  readonly now: number;
}

/** Validates the arguments of `remember`. Throws a `UserMemoryError` that names the invalid fields. */
export function readRemember(
  fact: unknown,
  options: unknown,
  { limits, now }: { readonly limits: UserMemoryLimits; readonly now: number },
): RememberInput {
  const operation = "remember";
  const schemas = schemasOf(limits);
  const text = checkInput(operation, schemas.fact, "fact", fact);
  const { provenance, ...given } = checkInput(operation, schemas.options, "options", options);
  const saidAt = saidTime(provenance.saidAt, now);
  const dated = plausibleTime(given.validFrom, now) ?? saidAt;
  const validFrom = dated ?? now;
  const validUntil = plausibleTime(given.validUntil, now);
  return {
    id: randomUUID(),
    fact: text,
    tags: given.tags,
    score: given.score ?? null,
    trust: given.trust ?? (given.quotation === undefined ? "stated" : "inferred"),
    key: given.key ?? null,
    quarantine: given.quarantine ?? null,
    conversationId: provenance.conversationId ?? null,
    position: provenance.position ?? null,
    messageId: provenance.messageId ?? null,
    author: provenance.author ?? null,
    extractor: provenance.extractor ?? null,
    evidence: cut(provenance.evidence, limits.maxEvidenceLength),
    quotation: given.quotation === undefined ? null : writeDetails(given.quotation),
    saidAt,
    validFrom,
    isDated: dated !== null,
    validUntil: validUntil !== null && validUntil <= validFrom ? null : validUntil,
    since: given.since,
    now,
  };
}

/** Cuts a text to `max` UTF-16 units, without splitting a surrogate pair. Returns `null` if there is no text. */
const cut = (text: string | undefined, max: number): string | null =>
  text?.slice(0, max).replace(/[\ud800-\udbff]$/, "") ?? null;
