import * as z from "zod";
import type { Trust } from "../fact.ts";
import { checkInput, dateSchema, textSchema, trustSchema, wantedTagsSchema } from "../input/check-input.ts";

const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 10;
/** The ranker reads the beginning of a query; what is longer is no question. */
const MAX_QUERY = 1_000_000;

const recallSchema = z
  .strictObject({
    limit: z.int().min(0).default(DEFAULT_LIMIT),
    tags: wantedTagsSchema,
    asOf: dateSchema.optional(),
    minTrust: trustSchema.default("inferred"),
  })
  .prefault({});

export interface RecallSettings {
  readonly limit: number;
  readonly tags: readonly string[] | undefined;
  readonly asOf: number;
  /** `asOf` is now: then earlier quotations are found, too. */
  readonly isNow: boolean;
  readonly minTrust: Trust;
}

export function readRecall(options: unknown, now: number): RecallSettings {
  const { limit, asOf, ...rest } = checkInput("recall", recallSchema, "options", options);
  const isNow = asOf === undefined || Number.isNaN(asOf);
  return { ...rest, tags: rest.tags, limit: Math.min(limit, MAX_LIMIT), asOf: isNow ? now : asOf, isNow };
}

const querySchema = textSchema(MAX_QUERY, 0);

export const readQuery = (operation: string, query: unknown): string =>
  checkInput(operation, querySchema, "query", query);
