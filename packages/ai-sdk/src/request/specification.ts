import type {
  LanguageModelV2Prompt,
  LanguageModelV2ToolResultOutput,
  LanguageModelV3DataContent,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
} from "@ai-sdk/provider";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider-v4";
import { present } from "@jaf/memory/internal";
import { base64Of } from "@jaf/model-http";
import type { Specification } from "../model.ts";
import { placeholder } from "./media.ts";
import type {
  AssistantPart,
  FileData,
  FilePart,
  PromptMessage,
  ToolOutput,
  ToolPart,
  UserPart,
} from "./prompt.ts";

type PromptV3Message = LanguageModelV3Prompt[number];

type PromptV3Part = Exclude<PromptV3Message["content"], string>[number];

type OutputV3Part = Extract<LanguageModelV3ToolResultOutput, { type: "content" }>["value"][number];

type OutputV2Part = Extract<LanguageModelV2ToolResultOutput, { type: "content" }>["value"][number];

/** Converts a prompt into the format of a model's specification. */
export function promptOfSpecification(
  specification: Specification,
  prompt: PromptMessage[],
): LanguageModelV4Prompt | LanguageModelV3Prompt | LanguageModelV2Prompt {
  if (specification === "v4") return prompt;
  const isV2 = specification === "v2";
  return prompt
    .map(({ content, ...message }) => ({
      ...message,
      content: typeof content === "string" ? content : content.flatMap((part) => partV3(part, isV2)),
    }))
    .filter(({ role, content }) => role !== "tool" || content.length > 0) as LanguageModelV3Prompt;
}

/** Converts a part of a prompt. Leaves out what older models don't know, and never sent. */
function partV3(part: UserPart | AssistantPart | ToolPart, isV2: boolean): readonly PromptV3Part[] {
  switch (part.type) {
    case "file":
      return [filePartV3(part)];
    case "tool-result":
      return [{ ...part, output: outputV3(part.output, isV2) }];
    case "custom":
    case "reasoning-file":
      return [];
    case "tool-approval-response":
      return isV2 ? [] : [part];
    default:
      return [part];
  }
}

/** Matches OpenAI's file ids. Only OpenAI's provider accepts a file id in place of data. */
const FILE_ID = /^(file|assistant)-/;

function filePartV3({ data, ...part }: FilePart): Extract<PromptV3Part, { type: "file" | "text" }> {
  const content = dataV3(data);
  if (content === undefined) return { type: "text", text: placeholder(part) };
  const original =
    data.type === "url" && data.originalUrl !== undefined ? { originalUrl: data.originalUrl } : {};
  return { ...part, data: content, ...original };
}

function dataV3(data: FileData): LanguageModelV3DataContent | undefined {
  switch (data.type) {
    case "data":
      return data.data;
    case "url":
      return data.url;
    case "reference":
      return Object.values(data.reference).find((id) => FILE_ID.test(id));
  }
}

function outputV3(output: ToolOutput, isV2: boolean): LanguageModelV3ToolResultOutput {
  if (output.type !== "content") return output;
  const value = output.value.map((part) =>
    part.type === "text" ? part : isV2 ? outputFileV2(part) : outputFileV3(part),
  );
  return { type: "content", value: value as OutputV3Part[] };
}

function outputFileV3({ mediaType, filename, data }: FilePart): OutputV3Part {
  const isImage = mediaType.startsWith("image/");
  switch (data.type) {
    case "data": {
      const base64 = base64Of(data.data);
      if (isImage) return { type: "image-data", data: base64, mediaType };
      return { type: "file-data", data: base64, mediaType, ...present({ filename }) };
    }
    case "url":
      return isImage
        ? { type: "image-url", url: data.url.href }
        : { type: "file-url", url: data.url.href, mediaType };
    case "reference":
      return { type: isImage ? "image-file-id" : "file-id", fileId: { ...data.reference } };
  }
}

/** Converts a file in a result for models of specification V2, which have other types of result parts. */
function outputFileV2(part: FilePart): OutputV2Part {
  const { data, mediaType } = part;
  if (data.type === "data") return { type: "media", data: base64Of(data.data), mediaType };
  return { type: "text", text: data.type === "url" ? data.url.href : placeholder(part) };
}
