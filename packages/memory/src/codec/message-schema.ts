import * as z from "zod";

const toolCallSchema = z.looseObject({
  id: z.string().min(1),
  type: z.literal("function"),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const contentPartSchema = z.looseObject({ type: z.string() });

/** The shape of a stored message. Unknown fields are allowed; what passes is kept as it came, not as zod copies it. */
export const messageSchema = z.looseObject({
  role: z.enum(["user", "assistant", "tool"]),
  content: z.union([z.string(), z.array(contentPartSchema), z.null()], {
    error: "expected a string, an array of content parts, or null",
  }),
  // `null` for "none" is what dumps of other systems hold.
  tool_call_id: z.string().nullish(),
  tool_calls: z.array(toolCallSchema).nullish(),
});
