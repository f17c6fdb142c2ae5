import * as z from "zod";

/** Which parts of a prompt stay the same from call to call, so that a provider may cache them. */
export interface CacheableConfig {
  /** The system instructions. */
  readonly instructions?: boolean | undefined;
  /** The definitions of the tools. */
  readonly tools?: boolean | undefined;
  /** How many of the oldest messages, from 0; or `"all"`, which grows with the conversation. */
  readonly messages?: number | "all" | undefined;
  /** How long they are cached, e.g. `"30m"`, `"2h"`, `"1d"`. Default `"1h"`. Some providers ignore it. */
  readonly ttl?: string | undefined;
}

const EXPECTED =
  'expected false, or an object of instructions, tools, messages (a whole number or "all") and ttl ("30m", "2h", "1d")';

export const cacheSchema = z.union(
  [
    z.literal(false),
    z.strictObject({
      instructions: z.boolean().optional(),
      tools: z.boolean().optional(),
      messages: z.union([z.int().min(0), z.literal("all")]).optional(),
      ttl: z
        .string()
        .regex(/^[1-9]\d{0,5}[smhd]$/, { error: 'expected e.g. "30m", "2h" or "1d"' })
        .optional(),
    }),
  ],
  { error: EXPECTED },
);

/** What is wrong with an agent's. */
export const cacheableFault = (cacheable: unknown): string | undefined =>
  cacheable === undefined || cacheSchema.safeParse(cacheable).success ? undefined : `cacheable: ${EXPECTED}`;
