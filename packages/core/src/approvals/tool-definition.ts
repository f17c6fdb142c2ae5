import { sha256 } from "@jaf/memory/internal";
import * as z from "zod";
import type { AskedTool } from "../stored/asked-calls.ts";
import type { Tool } from "../tools/tool.ts";
import { canonicalJson } from "./canonical-arguments.ts";

/** The longest text that is stored as it is, in UTF-16 units. */
const LONGEST_TEXT = 4_000;
// No JSON begins so.
const HASH = "sha256:";

/** Returns a text unchanged if it is short, else its hash. */
export const textOrHash = (text: string): string =>
  text.length <= LONGEST_TEXT ? text : `${HASH}${sha256(text, "base64url")}`;

/** Returns a stored text; `undefined` if only its hash is stored. */
export const shownText = (text: string | undefined): string | undefined =>
  text?.startsWith(HASH) === true ? undefined : text;

/** Returns the definition of a tool, and its texts as they are stored. */
// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
export function definitionOf<Ctx>({ schema: { name, description, parameters } }: Tool<any, Ctx>): AskedTool {
  const json = jsonSchemaOf(parameters);
  return {
    definition: sha256(canonicalJson([name, description, json]), "base64url"),
    description: textOrHash(description),
    parameters: textOrHash(json),
  };
}

/** Returns the JSON Schema of a tool's parameters, without defaults and in an order of its own. */
// A default can be computed, e.g. from the time. The defaults that a call uses are in its parsed arguments.
function jsonSchemaOf(parameters: z.ZodType): string {
  try {
    const { $schema: _, ...json } = z.toJSONSchema(parameters, {
      io: "input",
      unrepresentable: "any",
      override: ({ jsonSchema }) => {
        delete jsonSchema.default;
        if (jsonSchema.required !== undefined) jsonSchema.required = [...jsonSchema.required].sort();
      },
    });
    return canonicalJson(json);
  } catch {
    // The model provider reports such a schema. Changes of it are seen only in the parsed arguments.
    return "";
  }
}
