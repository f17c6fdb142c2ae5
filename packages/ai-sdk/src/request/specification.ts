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
  OutputPart,
  PromptMessage,
  ToolOutput,
  ToolPart,
  UserPart,
} from "./prompt.ts";

type PromptV3Message = LanguageModelV3Prompt[number];

type PromptV3Part = Exclude<PromptV3Message["content"], string>[number];

type PromptV3UserPart = Extract<PromptV3Message, { role: "user" }>["content"][number];

type PromptV3AssistantPart = Extract<PromptV3Message, { role: "assistant" }>["content"][number];

type PromptV3ToolPart = Extract<PromptV3Message, { role: "tool" }>["content"][number];

type OutputV3Part = Extract<LanguageModelV3ToolResultOutput, { type: "content" }>["value"][number];

type OutputV2Part = Extract<LanguageModelV2ToolResultOutput, { type: "content" }>["value"][number];

/** Converts a prompt into the format of a model's specification. */
export function promptOfSpecification(
  specification: Specification,
  prompt: PromptMessage[],
): LanguageModelV4Prompt | LanguageModelV3Prompt | LanguageModelV2Prompt {
  switch (specification) {
    case "v4":
      return prompt;
    case "v3":
      return prompt.map((message) => messageV3(message, outputV3));
    case "v2":
      // V2 has other tool results, and no approval decisions.
      return prompt
        .map((message) => messageV3(message, outputV2))
        .filter(({ role, content }) => role !== "tool" || content.length > 0) as LanguageModelV2Prompt;
  }
}

type OutputTranslation = (output: ToolOutput) => LanguageModelV3ToolResultOutput;

function messageV3(message: PromptMessage, output: OutputTranslation): PromptV3Message {
  switch (message.role) {
    case "system":
      return message;
    case "user":
      return { ...message, content: message.content.map(userPartV3) };
    case "assistant":
      return { ...message, content: message.content.flatMap((part) => assistantPartV3(part, output)) };
    case "tool":
      return { ...message, content: message.content.flatMap((part) => toolPartV3(part, output)) };
  }
}

const userPartV3 = (part: UserPart): PromptV3UserPart => (part.type === "text" ? part : filePartV3(part));

function assistantPartV3(part: AssistantPart, output: OutputTranslation): PromptV3AssistantPart[] {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "tool-call":
      return [part];
    case "file":
      return [filePartV3(part)];
    case "tool-result":
      return [{ ...part, output: output(part.output) }];
    // Only V4 models send these, and only they get them back.
    case "custom":
    case "reasoning-file":
      return [];
  }
}

function toolPartV3(part: ToolPart, output: OutputTranslation): PromptV3ToolPart[] {
  if (part.type === "tool-result") return [{ ...part, output: output(part.output) }];
  return output === outputV2 ? [] : [part];
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

function outputV3(output: ToolOutput): LanguageModelV3ToolResultOutput {
  return output.type === "content" ? { type: "content", value: output.value.map(outputPartV3) } : output;
}

function outputPartV3(part: OutputPart): OutputV3Part {
  if (part.type !== "file") return part;
  const { mediaType, filename, data } = part;
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

/** Converts a tool result for models of specification V2, which have other types of result parts. */
function outputV2(output: ToolOutput): LanguageModelV3ToolResultOutput {
  if (output.type !== "content") return output;
  const value: OutputV2Part[] = output.value.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    const { data, mediaType } = part;
    if (data.type === "data") return { type: "media", data: base64Of(data.data), mediaType };
    return { type: "text", text: data.type === "url" ? data.url.href : placeholder(part) };
  });
  return { type: "content", value } as unknown as LanguageModelV3ToolResultOutput;
}
