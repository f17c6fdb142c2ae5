import * as z from "zod";
import { lazy } from "../lazy.ts";
import { messageRoles } from "./message-shape.ts";

const customCallSchema = lazy(() =>
  z.looseObject({
    id: z.string(),
    type: z.literal("custom"),
    custom: z.looseObject({ name: z.string(), input: z.string() }),
  }),
);

/** Some gateways leave out the type, or have one of their own. */
const functionCallSchema = lazy(() =>
  z.looseObject({
    id: z.string(),
    type: z.string().nullish(),
    function: z.looseObject({ name: z.string(), arguments: z.string() }),
  }),
);

const isCustom = (call: unknown): boolean =>
  typeof call === "object" && call !== null && "type" in call && call.type === "custom";

/** Not a union: of that, an issue would name no field. */
const toolCallSchema = lazy(() =>
  z.unknown().superRefine((call, context) => {
    const parsed = (isCustom(call) ? customCallSchema() : functionCallSchema()).safeParse(call);
    for (const { path, message } of parsed.error?.issues ?? []) {
      context.addIssue({ code: "custom", path, message });
    }
  }),
);

const contentPartSchema = lazy(() => z.looseObject({ type: z.string() }));

/**
 * The shape of a stored message. Unknown fields are allowed; what passes is kept as it came, not as zod copies it. The ids
 * of calls are as providers gave them: also empty, and also several times the same.
 */
export const messageSchema = lazy(() =>
  z.looseObject({
    role: z.enum(messageRoles),
    content: z.union([z.string(), z.array(contentPartSchema()), z.null()], {
      error: "expected a string, an array of content parts, or null",
    }),
    // `null` for "none" is what dumps of other systems hold.
    tool_call_id: z.string().nullish(),
    tool_calls: z.array(toolCallSchema()).nullish(),
  }),
);
