import { type Agent, createTool } from "@jaf/core";
import * as z from "zod";

const order = createTool({
  name: "order",
  description: "Orders fruit.",
  parameters: z.object({ fruit: z.string(), kilograms: z.number().positive() }),
  needsApproval: true, // The page asks.
  execute: async ({ fruit, kilograms }) => `${kilograms} kg of ${fruit} are ordered.`,
});

export const clerk: Agent<{ readonly userId: string }, string> = {
  name: "clerk",
  instructions: () => "You are the clerk of a small fruit shop. Be brief.",
  tools: [order],
};
