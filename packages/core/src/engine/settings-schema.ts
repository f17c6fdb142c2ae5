import * as z from "zod";
import type { RunSettings } from "../config.ts";
import { budgetSchema, pricesSchema } from "../cost/budget.ts";
import { functionSchema } from "../function-schema.ts";
import { cacheSchema } from "../model/cache.ts";
import { fallbackSchema, modelProviderSchema } from "../model/fallback-config.ts";
import { isTimeLimit, TIME_LIMIT } from "../timing/limits.ts";

const timeLimit = z.custom<unknown>(isTimeLimit, { error: `expected ${TIME_LIMIT}` });
/** Unlike `z.number()` it takes `Infinity`, which means no limit. */
const numberFrom = (least: number) =>
  z.custom<unknown>((value) => typeof value === "number" && value >= least, {
    error: `expected a number from ${least}`,
  });

/** The checks of what clients and runs share. */
export const settingsShape = {
  modelProvider: modelProviderSchema,
  modelOverride: z.string().optional(),
  modelRetry: z.looseObject({}).optional(),
  modelFallback: fallbackSchema.optional(),
  outputRepairs: z.int().min(0).optional(),
  maxTurns: numberFrom(1).optional(),
  prices: pricesSchema.optional(),
  budget: budgetSchema.optional(),
  initialInputGuardrails: z.array(functionSchema).optional(),
  finalOutputGuardrails: z.array(functionSchema).optional(),
  onToolError: z.enum(["continue", "fail"]).optional(),
  maxParallelTools: numberFrom(1).optional(),
  timeouts: z
    .strictObject(
      {
        modelMs: timeLimit.optional(),
        modelIdleMs: timeLimit.optional(),
        toolMs: timeLimit.optional(),
      },
      { error: "expected an object" },
    )
    .optional(),
  unjudgedText: z.enum(["hold", "retract"], { error: 'expected "hold" or "retract"' }).optional(),
  maskSecrets: z
    .union([z.boolean(), functionSchema], { error: "expected true, false or a function" })
    .optional(),
  approvalTtlMs: numberFrom(0).optional(),
  // Checked with the agent's.
  middleware: z.unknown().optional(),
  userMemory: z.unknown().optional(),
  onEvent: functionSchema.optional(),
  validate: functionSchema.optional(),
} satisfies { readonly [Field in keyof RunSettings<never>]-?: z.ZodType };

/** Refuses a limit of costs that nothing is known of. */
export const priced = <Schema extends z.ZodType>(schema: Schema): Schema =>
  schema.refine(
    (settings) => {
      const { prices, budget } = settings as RunSettings<never>;
      return prices !== undefined || (budget?.run?.maxCost ?? budget?.conversation?.maxCost) === undefined;
    },
    { path: ["prices"], error: "expected the prices that budget.maxCost counts by" },
  );

const { maxTurns: _, maxParallelTools: __, ...runShape } = settingsShape;

/** What a run refuses. Every number of turns and of tools at once means something to it. */
export const runSettingsSchema = priced(z.object({ ...runShape, cache: cacheSchema.optional() }));
