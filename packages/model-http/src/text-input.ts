import type * as z from "zod";
import { type Fields, fieldsOf, parseJson } from "./fields.ts";
import { parametersOf } from "./schema.ts";

/** Whether a tool of these parameters takes a text, and not JSON. */
export const takesText = (parameters: z.ZodType): boolean => parametersOf(parameters)["type"] === "string";

/** The parameters of a function of one text, where a tool can take nothing but an object. */
export const TEXT_INPUT: Fields = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

/** What a model wrote to a function of one text. Models that don't keep to it write the text alone. */
export function textInputIn(text: unknown): string {
  if (typeof text !== "string") return "";
  const input = fieldsOf(parseJson(text))["input"];
  return typeof input === "string" ? input : text;
}
