import type { ContentPart, MediaPart, TextPart } from "@jaf/memory";
import { parseMessages } from "@jaf/memory/engine";
import * as z from "zod";
import { mediaPartSchema, textPartSchema } from "../content-part-schema.ts";
import { frozenCopy } from "../immutable/copy.ts";
import { isToolResult } from "./result.ts";

/** A part of a tool's result. */
export type ToolPart = TextPart | MediaPart;

/**
 * A tool's result that has more than text, e.g. an image: `{ parts: [{ type: "media", mediaType: "image/png", data }] }`. The model
 * gets the parts unchanged. It may also be the `data` of a successful `ToolResult`. An object with other fields in addition to
 * `parts`, or with other kinds of parts, is data, which the model gets as JSON.
 */
export interface ToolParts {
  readonly parts: readonly ToolPart[];
}

const partSchema = z.discriminatedUnion("type", [textPartSchema, mediaPartSchema]);

export const toolPartsSchema = z.strictObject({ parts: z.array(partSchema).min(1) });

/** `undefined` for every other answer. */
export function partsIn(answer: unknown): ToolParts | undefined {
  const value = isToolResult(answer) && answer.status === "success" ? answer.data : answer;
  return isToolParts(value) ? value : undefined;
}

export const isToolParts = (value: unknown): value is ToolParts =>
  typeof value === "object" && value !== null && "parts" in value && toolPartsSchema.safeParse(value).success;

/** Frozen copies, in which bytes are a `Uint8Array`; `undefined` for what no store can hold. */
export function keptParts({ parts }: ToolParts): readonly ContentPart[] | undefined {
  const content = frozenCopy(parts);
  return parseMessages([{ role: "tool", content, tool_call_id: "call" }]).success ? content : undefined;
}
