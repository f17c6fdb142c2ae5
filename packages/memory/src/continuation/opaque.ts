import type { ContentPart } from "../content-part.ts";
import type { Message, RichMessage } from "../message.ts";
import { isReasoningField } from "../part-kinds.ts";

/**
 * What only a model's provider or its adapter writes, into a message, a part or a call. A client that shows a conversation
 * needn't keep it, and can't add it: it would go to the provider as the provider's own.
 */
const OPAQUE_FIELDS: ReadonlySet<string> = new Set([
  ...["origin", "providerMetadata", "providerOptions", "provider_specific_fields", "extra_content"],
  ...["signature", "encrypted", "encrypted_content", "thoughtSignature", "thought_signature"],
]);

export const isOpaqueField = (key: string): boolean => OPAQUE_FIELDS.has(key) || isReasoningField(key);

/** A part may also name a blob of the store's: by its hash, which is no proof that it is this client's. */
export const isOpaquePartField = (key: string): boolean => key === "blob" || isOpaqueField(key);

const MEDIA_TYPES = [
  ...["media", "image", "image_url", "input_image", "audio", "audio_url", "input_audio"],
  ...["video", "video_url", "input_video", "file", "file_url", "input_file", "document"],
];
const USER_TYPES: ReadonlySet<string> = new Set(["text", "input_text", ...MEDIA_TYPES]);
const ASSISTANT_TYPES: ReadonlySet<string> = new Set([
  ...USER_TYPES,
  ...["output_text", "refusal", "tool-call"],
]);
const CALL_FIELDS: ReadonlySet<string> = new Set(["id", "type", "index", "function", "custom"]);
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(["name", "arguments", "input"]);

type Fields = Readonly<Record<string, unknown>>;

const has = (value: object, isMeant: (key: string) => boolean): boolean =>
  Object.entries(value).some(([key, field]) => field !== undefined && field !== null && isMeant(key));

/** Whether a message that a client adds holds more than text, media, and fields of the application's own. */
export function holdsForeignParts(message: Message): boolean {
  const { role, content, tool_calls: calls }: RichMessage = message;
  const types = role === "assistant" ? ASSISTANT_TYPES : USER_TYPES;
  const isForeign = (part: ContentPart) => !types.has(part.type) || has(part, isOpaquePartField);
  return (
    has(message, isOpaqueField) ||
    (Array.isArray(content) && content.some(isForeign)) ||
    (calls ?? []).some(isForeignCall)
  );
}

const isForeignCall = (call: Fields): boolean =>
  has(call, (key) => !CALL_FIELDS.has(key)) || [call["function"], call["custom"]].some(isForeignFunction);

const isForeignFunction = (called: unknown): boolean =>
  typeof called === "object" && called !== null && has(called, (key) => !FUNCTION_FIELDS.has(key));
