import type { ContentPart, MediaPart, ModelOrigin, RichMessage } from "@jaf/memory";
import { messageText, partText } from "@jaf/memory/engine";
import {
  type Fields,
  type ForeignReasoning,
  fieldsOf,
  isMedia,
  isSameOrigin,
  isTextMedia,
  mediaMention,
  otherModelText,
  splitInstructions,
  textIn,
} from "@jaf/model-http";
import { addressOf, detailOf } from "../../request/media.ts";
import { callItem, type InputItem, type ItemContext, outputItem } from "./items.ts";
import { ownEntries } from "./own-entries.ts";
import { pairedItems } from "./reasoning-pairs.ts";

export interface Input {
  readonly instructions: string;
  readonly items: readonly InputItem[];
}

/** The conversation on the wire. The instructions are joined by those that the conversation begins with. */
export function inputOf(
  instructions: string,
  messages: readonly RichMessage[],
  context: AssistantContext,
): Input {
  const { system: told, spoken } = splitInstructions([instructions], messages);
  const items = spoken.flatMap((message) => messageItems(message, context));
  // Without any input there would be nothing to answer.
  return items.length === 0 && told !== ""
    ? { instructions: "", items: [{ role: "developer", content: told }] }
    : { instructions: told, items };
}

function messageItems(message: RichMessage, context: AssistantContext): readonly InputItem[] {
  const { role, content } = message;
  switch (role) {
    case "system":
    case "developer":
      return [{ role, content: messageText(message) }];
    case "user":
      return [{ role, content: inputContent(content) }];
    case "assistant":
      return assistantItems(message, context);
    case "tool":
      return [outputItem(message.tool_call_id ?? "", inputContent(content), context)];
  }
}

interface AssistantContext extends ItemContext {
  /** Of the model that is about to reply. */
  readonly origin: ModelOrigin;
  readonly foreignReasoning: ForeignReasoning;
  readonly isStored: boolean;
  readonly takesReadable: boolean;
  readonly sentIds: Set<string | undefined>;
}

/** None for a turn of which nothing is left to be sent. */
function assistantItems(message: RichMessage, context: AssistantContext): readonly InputItem[] {
  if (isSameOrigin(message.origin, context.origin)) return pairedItems(ownEntries(message, context), context);
  const said = otherModelText(message, context.foreignReasoning);
  const calls = (message.tool_calls ?? []).map((call) => callItem(call, false, context));
  return said === "" ? calls : [{ role: "assistant", content: said }, ...calls];
}

/** A part as the input has it. */
type InputPart = Fields & { readonly type: string };

const inputText = (text: string): InputPart => ({ type: "input_text", text });

/** Parts that the API itself has in a user's message. */
const NATIVE: ReadonlySet<string> = new Set(["input_image", "input_file"]);

/** `undefined` for what no user's message can hold. */
function inputPart(part: ContentPart): InputPart | undefined {
  const text = partText(part);
  if (text !== undefined) return inputText(text);
  if (isMedia(part)) return inputMedia(part);
  if (NATIVE.has(part.type)) {
    const { providerMetadata: _, ...sent } = part;
    return { ...sent, type: part.type };
  }
  // Of Chat Completions.
  if (part.type === "image_url") {
    const { url, detail } = fieldsOf(part["image_url"]);
    return typeof url === "string" ? image({ image_url: url }, detail) : undefined;
  }
  return part.type === "file" ? { type: "input_file", ...fieldsOf(part["file"]) } : undefined;
}

/** Images and files: by id, by address, or as bytes. Text is text, and what is none of these is mentioned. */
function inputMedia(part: MediaPart): InputPart {
  const { mediaType, data, fileId, filename, url } = part;
  const isImage = mediaType.startsWith("image/");
  const file = (fields: Fields): InputPart =>
    isImage ? image(fields, detailOf(part)) : { type: "input_file", ...fields };
  if (fileId !== undefined) return file({ file_id: fileId });
  const address = addressOf(part);
  if (address === undefined || /^(audio|video)\//.test(mediaType)) return inputText(mediaMention(part));
  if (isImage) return file({ image_url: address });
  if (data !== undefined && isTextMedia(mediaType)) return inputText(textIn(data));
  const isWeb = url !== undefined && !address.startsWith("data:");
  return file(isWeb ? { file_url: address } : { filename: filename ?? "file", file_data: address });
}

const image = (fields: Fields, detail: unknown): InputPart => ({
  type: "input_image",
  ...fields,
  ...(typeof detail === "string" ? { detail } : {}),
});

/** A text where the parts hold nothing else. */
function inputContent(content: string | readonly ContentPart[] | null): string | readonly InputPart[] {
  if (content === null || typeof content === "string") return content ?? "";
  const sent = content.map(inputPart).filter((part) => part !== undefined);
  const texts = sent.map((part) => (part.type === "input_text" ? part["text"] : undefined));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : sent;
}
