import * as z from "zod";
import { addTool, answered, refused, type ToolScope } from "./tool.ts";
import { idSchema, UNKNOWN } from "./views.ts";

const inputSchema = z.strictObject({ id: idSchema });
const outputSchema = z.object({
  forgotten: z.int().describe("Number of deleted facts: the fact, and older ones that say the same."),
  revived: z
    .int()
    .describe("Number of older facts that hold again, because the deleted fact had replaced them."),
});

/** Adds the tool `forget`. */
export function addForget(scope: ToolScope): void {
  const { memory, userId } = scope;
  addTool(scope, {
    name: "forget",
    title: "Forget a fact",
    description:
      "Deletes a fact about the user for good. Only if the user asks for it. Recall or list it first, for its id.",
    input: inputSchema,
    output: outputSchema,
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    call: async ({ id }) => {
      const { facts, revived } = await memory.forget(userId, id);
      if (facts === 0) return refused(UNKNOWN);
      const again = revived === 0 ? "" : " An older fact that it had replaced holds again.";
      return answered(`Forgotten, for good.${again}`, { forgotten: facts, revived });
    },
  });
}
