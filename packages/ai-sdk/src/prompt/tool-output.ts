import type { ContentPart, RichMessage } from "@jaf/memory";
import { partText } from "@jaf/memory/engine";
import { textField } from "../fields.ts";
import { fileOf } from "./media.ts";
import type { OutputPart, PromptFile, ToolOutput } from "./prompt-types.ts";

/** What a tool answered. Parts that are neither text nor media are given as JSON. */
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
  return { type: "text", text: part.type === "media" ? mediaPlaceholder(part) : JSON.stringify(part) };
}

/** Of media whose data isn't there, e.g. because a blob store has lost it. */
export const mediaPlaceholder = (part: ContentPart): string =>
  `[${textField(part, "filename") ?? textField(part, "mediaType") ?? "media"}]`;

/** What stands for a file where the model can't be given it. */
export const placeholder = ({ filename, mediaType }: Omit<PromptFile, "data">): string =>
  `[${filename ?? mediaType}]`;
