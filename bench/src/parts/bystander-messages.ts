import * as z from "zod";
import { storeKinds } from "../options.ts";

export const bystanderSetupSchema = z.strictObject({
  kind: z.enum(storeKinds),
  url: z.string(),
  namespace: z.string(),
});

export type BystanderSetup = z.output<typeof bystanderSetupSchema>;

/** `start` counts anew; `report` also asks for what was counted since. */
export const bystanderRequestSchema = z.enum(["start", "report"]);

export const bystanderReportSchema = z.strictObject({
  rounds: z.number(),
  longestPingMs: z.number(),
  longestAppendMs: z.number(),
});

export type BystanderReport = z.output<typeof bystanderReportSchema>;
