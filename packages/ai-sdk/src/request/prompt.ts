import type {
  JSONValue,
  LanguageModelV3ReasoningPart,
  LanguageModelV3TextPart,
  LanguageModelV3ToolApprovalResponsePart,
  LanguageModelV3ToolCallPart,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import { isObject } from "@jaf/model-http";
import * as z from "zod";

/*
 * Prompts are built in the format of specification V4, which can express everything, and then converted for the others.
 * Types that are the same in V3 are V3's: they also fit V4, which has readonly JSON.
 */

export type ProviderOptions = SharedV3ProviderOptions;

interface Part {
  providerOptions?: ProviderOptions;
}

export type FileData =
  | { type: "data"; data: Uint8Array | string }
  /** A file by its URL. `originalUrl`: the URL's original text, if it differs from `url`. */
  | { type: "url"; url: URL; originalUrl?: string }
  /** A file that providers have stored: its ids by provider name. */
  | { type: "reference"; reference: Record<string, string> & { type?: never } };

/** A file in a message of a prompt. */
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
  | { type: "error-text"; value: string }
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
 * Converts the stored provider metadata of a message, part or call into provider options. Leaves out JAF's own metadata,
 * and values that aren't a JSON object under a provider's name.
 */
export function providerOptionsOf(metadata: unknown): { readonly providerOptions?: ProviderOptions } {
  if (!isObject(metadata)) return {};
  const options: ProviderOptions = {};
  for (const [name, value] of Object.entries(metadata)) {
    if (name === "jaf" || !isObject(value)) continue;
    const parsed = optionsSchema.safeParse({ [name]: value });
    // Not a copy, which might have another order of keys.
    if (parsed.success) options[name] = value as ProviderOptions[string];
  }
  return Object.keys(options).length === 0 ? {} : { providerOptions: options };
}
