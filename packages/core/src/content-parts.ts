import type { ContentPart, MediaPart, TextPart } from "@jaf/memory";
import { parseMessages } from "@jaf/memory/internal";
import * as z from "zod";
import { frozenCopy } from "./immutable/copy.ts";

/** A content part of a user's message: text or media. */
export type UserPart = TextPart | MediaPart;

/** A user's message: a text, or several content parts (e.g. a question and an image). */
export interface UserMessage {
  readonly role: "user";
  /** A text, or content parts in order. */
  readonly content: string | readonly UserPart[];
}

/** A content part of a tool's result: text or media. */
export type ToolPart = TextPart | MediaPart;

/**
 * A tool's result with more than text, e.g. `{ parts: [{ type: "media", mediaType: "image/png", data }] }`. The model
 * gets the parts unchanged. The `data` of a successful `ToolResult` can be a `ToolParts` object, too. An object with
 * fields besides `parts`, or with other kinds of parts, is sent to the model as JSON.
 */
export interface ToolParts {
  /** The content parts of the result in order, at least one. */
  readonly parts: readonly ToolPart[];
}

const textPartSchema = z.looseObject({ type: z.literal("text"), text: z.string() });

const mediaPartSchema = z
  .looseObject({
    type: z.literal("media"),
    mediaType: z.string({ error: 'expected a media type, e.g. "image/png"' }).min(1),
    data: z.union([z.string(), z.instanceof(Uint8Array)], { error: "expected base64 or bytes" }).optional(),
    url: z.union([z.string(), z.instanceof(URL)], { error: "expected an address" }).optional(),
    fileId: z.string().optional(),
  })
  .refine(({ data, url, fileId }) => data !== undefined || url !== undefined || fileId !== undefined, {
    error: "expected data, url or fileId",
  });

const NOT_SAID: ReadonlySet<string> = new Set([
  ...["reasoning", "refusal", "tool-call", "provider-tool-call", "provider-tool-result"],
]);

/** Accepts content parts of types that JAF doesn't know. Refuses parts that only a model writes (e.g. reasoning). */
const other = z.looseObject({
  type: z.string({ error: "expected the type of a part" }).refine((type) => !NOT_SAID.has(type), {
    error: "expected a part that a user can send, e.g. text or media",
  }),
});

function schemaOf(type: unknown): z.ZodType {
  if (type === "text") return textPartSchema;
  return type === "media" ? mediaPartSchema : other;
}

/** Checks the content parts of a user's message. */
export const userPartsSchema = z.array(z.unknown()).superRefine((parts, context) => {
  parts.forEach((part, index) => {
    const { type, text } = (part ?? {}) as Readonly<Record<string, unknown>>;
    // Without a schema, because a schema is ten times slower.
    if (type === "text" && typeof text === "string") return;
    for (const { path, message } of schemaOf(type).safeParse(part).error?.issues ?? [])
      context.addIssue({ code: "custom", path: [index, ...path], message });
  });
});

const toolPartSchema = z.discriminatedUnion("type", [textPartSchema, mediaPartSchema]);

export const toolPartsSchema = z.strictObject({ parts: z.array(toolPartSchema).min(1) });

export const isToolParts = (value: unknown): value is ToolParts =>
  typeof value === "object" && value !== null && "parts" in value && toolPartsSchema.safeParse(value).success;

/**
 * Returns frozen copies of the content parts, with bytes as `Uint8Array`; `undefined` if a store can't hold the parts.
 */
export function storableParts({ parts }: ToolParts): readonly ContentPart[] | undefined {
  const content = frozenCopy(parts);
  return parseMessages([{ role: "tool", content, tool_call_id: "call" }]).success ? content : undefined;
}
