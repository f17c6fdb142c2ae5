import { type Agent, createTool } from "@jaf/core";
import type { Identity } from "@jaf/server";
import * as z from "zod";

const order = createTool({
  name: "order",
  description: "Orders fruit.",
  parameters: z.object({ fruit: z.string(), kilograms: z.number().positive() }),
  needsApproval: true,
  // A call that a crash cut off runs again under the same key: hand it to what does the ordering.
  execute: async ({ fruit, kilograms }, _context, call) =>
    `${kilograms} kg of ${fruit} are ordered, under the key ${call?.idempotencyKey}.`,
});

export const clerk: Agent<Identity, string> = {
  name: "clerk",
  instructions: () => "You are the clerk of a small fruit shop. Be brief.",
  tools: [order],
  remembers: ({ userId }) => ({ user: userId, extract: "verbatim" }),
};
