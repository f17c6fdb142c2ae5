import type {
  JSONValue,
  LanguageModelV3ReasoningPart,
  LanguageModelV3TextPart,
  LanguageModelV3ToolApprovalResponsePart,
  LanguageModelV3ToolCallPart,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import * as z from "zod";
import { isFields } from "../fields.ts";

/*
 * A prompt is put together as specification V4 has it, which has a place for everything, and translated for the others.
 * The types are V3's where they are the same: what fits them fits V4, whose JSON is readonly.
 */

export type ProviderOptions = SharedV3ProviderOptions;

interface Part {
  providerOptions?: ProviderOptions;
}

export type FileData =
  | { type: "data"; data: Uint8Array | string }
  /** `originalUrl`: as it was written, where that is otherwise. */
  | { type: "url"; url: URL; originalUrl?: string }
  /** Ids by provider. */
  | { type: "reference"; reference: Record<string, string> & { type?: never } };

/** A file, wherever it stands. */
export interface PromptFile {
  mediaType: string;
  data: FileData;
  filename?: string;
}

export interface FilePart extends PromptFile, Part {
  type: "file";
}

export type OutputPart = LanguageModelV3TextPart | FilePart;

export type ToolOutput =
  | { type: "text"; value: string }
  | { type: "json"; value: JSONValue }
  | { type: "error-json"; value: JSONValue }
  | { type: "content"; value: OutputPart[] };

interface ToolResultPart extends Part {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: ToolOutput;
}

export type UserPart = LanguageModelV3TextPart | FilePart;

export type AssistantPart =
  | LanguageModelV3TextPart
  | LanguageModelV3ReasoningPart
  | LanguageModelV3ToolCallPart
  | FilePart
  | ToolResultPart
  | (Part & {
      type: "reasoning-file";
      mediaType: string;
      data: Exclude<FileData, { type: "reference" }>;
    })
  | (Part & { type: "custom"; kind: `${string}.${string}` });

export type ToolPart = ToolResultPart | LanguageModelV3ToolApprovalResponsePart;

export type PromptMessage = Part &
  (
    | { role: "system"; content: string }
    | { role: "user"; content: UserPart[] }
    | { role: "assistant"; content: AssistantPart[] }
    | { role: "tool"; content: ToolPart[] }
  );

const optionsSchema = z.record(z.string(), z.record(z.string(), z.json()));

/**
 * What a provider put beside a message, a part or a call, as it gets it back. Anything that isn't an object of JSON by a
 * provider's name is left out, and so is what JAF itself keeps there.
 */
export function providerOptionsOf(metadata: unknown): { readonly providerOptions?: ProviderOptions } {
  if (!isFields(metadata)) return {};
  const options: ProviderOptions = {};
  for (const [name, value] of Object.entries(metadata)) {
    if (name === "jaf" || !isFields(value)) continue;
    const parsed = optionsSchema.safeParse({ [name]: value });
    // The very value: a copy might order its keys otherwise.
    if (parsed.success) options[name] = value as ProviderOptions[string];
  }
  return Object.keys(options).length === 0 ? {} : { providerOptions: options };
}
