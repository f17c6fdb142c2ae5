import type { ModelConfig, Tool } from "@jaf/core";
import type { ContentPart, RichMessage } from "@jaf/memory";
import { partText } from "@jaf/memory/internal";
import { type Fields, fieldsOf, picked, serviceSchema } from "@jaf/model-http";
import * as z from "zod";
import type { Specification } from "../model.ts";
import { fileOf, placeholder } from "./media.ts";
import type { OutputPart, ProviderOptions, ToolOutput } from "./prompt.ts";
import { mergedOptions, type ProviderTool } from "./provider-options.ts";

// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments and context
type AnyTool = Tool<any, any>;

/** Where tools are sent. */
interface ToolRecipient {
  readonly specification: Specification;
  readonly providerKey: string;
  /** Provider options that make the provider cache all tools. */
  readonly cacheControl: ProviderOptions | undefined;
}

/**
 * Converts tools into the format of a model call: the agent's own tools, then those of the model's provider. A tool with the
 * name of a provider's tool only supplies its executor, so it isn't sent itself.
 */
export function toolsOf(
  tools: readonly AnyTool[],
  provided: readonly ProviderTool[],
  { specification, providerKey, cacheControl }: ToolRecipient,
): Fields[] {
  const names = new Set(provided.map(({ name }) => name));
  const own = tools.filter(({ schema }) => !names.has(schema.name));
  const functions = own.map(({ schema, providerOptions: given }, index) => {
    const options = mergedOptions(index === own.length - 1 ? cacheControl : undefined, given);
    return {
      type: "function",
      name: schema.name,
      description: schema.description,
      inputSchema: jsonSchemaOf(schema.parameters),
      // V2 has no such fields.
      ...(specification === "v2" ? {} : picked(fieldsOf(given?.[providerKey]), ["strict", "inputExamples"])),
      ...(Object.keys(options).length === 0 ? {} : { providerOptions: options }),
    };
  });
  const type = specification === "v2" ? "provider-defined" : "provider";
  return [...functions, ...provided.map((tool) => ({ type, ...tool }))];
}
/**
 * Returns the JSON Schema of a model's output or of a tool's arguments. Types that JSON Schema can't express accept any
 * value, which is validated later.
 */
export function jsonSchemaOf(schema: z.ZodType): Fields {
  const known = schemas.get(schema);
  if (known !== undefined) return known;
  const fields = serviceSchema(
    z.toJSONSchema(schema, { io: "input", unrepresentable: "any", target: "draft-7" }),
  );
  schemas.set(schema, fields);
  return fields;
}

const schemas = new WeakMap<z.ZodType, Fields>();

export function toolChoice({ toolChoice: choice }: ModelConfig): Fields {
  if (choice === undefined) return {};
  return {
    toolChoice: typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.tool },
  };
}

/** Converts the content of a tool result. Parts that are neither text nor media become JSON. */
export function toolOutput(content: RichMessage["content"], providerKey: string): ToolOutput {
  if (typeof content === "string") return { type: "text", value: content };
  if (content === null) return { type: "text", value: "" };
  const texts = content.map(partText);
  if (texts.every((text) => text !== undefined)) return { type: "text", value: texts.join("\n") };
  return { type: "content", value: content.map((part) => outputPart(part, providerKey)) };
}

function outputPart(part: ContentPart, providerKey: string): OutputPart {
  const text = partText(part);
  if (text !== undefined) return { type: "text", text };
  const file = fileOf(part, providerKey);
  if (file !== undefined) return { type: "file", ...file };
  return { type: "text", text: part.type === "media" ? placeholder(part) : JSON.stringify(part) };
}
