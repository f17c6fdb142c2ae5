import * as z from "zod";
import { createTool } from "../../packages/core/src/index.ts";

/** What the recordings of everyday features have in common, for every API. */

export const CITY = { city: "Pune" };
export const cityCodec = z.object({ city: z.string() });

export const weather = createTool({
  name: "weather",
  description: "The weather of a city.",
  parameters: cityCodec,
  execute: async ({ city }) => `Sun in ${city}.`,
});

export const ran = [["weather", CITY]] as const;
