import * as z from "zod";

/** `start` counts anew; `report` also asks for what was counted since. */
export const bystanderRequestSchema = z.enum(["start", "report"]);

export const bystanderReportSchema = z.strictObject({
  rounds: z.number(),
  longestPingMs: z.number(),
  longestAppendMs: z.number(),
});

export type BystanderReport = z.output<typeof bystanderReportSchema>;
