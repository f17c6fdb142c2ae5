import * as z from "zod";
import { createTool } from "../../../packages/core/src/index.ts";

export const weather = createTool({
  name: "weather",
  description: "Of a city",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Sun in ${city}.`,
});
