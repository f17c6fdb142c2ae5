import { type Agent, createTool } from "@jaf/core";
import * as z from "zod";

const PRICES: Readonly<Record<string, number>> = { apples: 3, pears: 4, plums: 6 };

const price = createTool({
  name: "price",
  description: "Returns the price of a fruit, in euros per kilogram.",
  parameters: z.object({ fruit: z.string() }),
  execute: async ({ fruit }) => String(PRICES[fruit.toLowerCase()] ?? "not sold here"),
});

export const clerk: Agent<object, string> = {
  name: "clerk",
  instructions: () => "You are the clerk of a small fruit shop. Be brief.",
  tools: [price],
};
