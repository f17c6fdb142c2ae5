import type { MediaPart, TextPart } from "@jaf/memory";
import * as z from "zod";
import { mediaPartSchema, textPartSchema } from "./content-part-schema.ts";

/** A part of a user's message. */
export type UserPart = TextPart | MediaPart;

/** A user's message of several parts, e.g. a question and an image, or of a text. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly UserPart[];
}

const NOT_SAID: ReadonlySet<string> = new Set([
  ...["reasoning", "refusal", "tool-call", "provider-tool-call", "provider-tool-result"],
]);

/** Parts that JAF doesn't know are the model provider's, which may know them. */
const other = z.looseObject({
  type: z
    .string({ error: "expected the type of a part" })
    .refine((type) => !NOT_SAID.has(type), { error: "expected what a user can say, e.g. text or media" }),
});

function schemaOf(type: unknown): z.ZodType {
  if (type === "text") return textPartSchema;
  return type === "media" ? mediaPartSchema : other;
}

const partSchema = z.unknown().superRefine((part, context) => {
  const type = typeof part === "object" && part !== null && "type" in part ? part.type : undefined;
  const schema = schemaOf(type);
  const parsed = schema.safeParse(part);
  if (parsed.success) return;
  for (const { path, message } of parsed.error.issues) context.addIssue({ code: "custom", path, message });
});

/** The parts of a user's message. */
export const userPartsSchema = z.array(partSchema);
