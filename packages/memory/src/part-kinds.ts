import type { ContentPart } from "./content-part.ts";

/** OpenAI's Responses interface has two of its own. */
const TEXT_TYPES: ReadonlySet<string> = new Set(["text", "input_text", "output_text"]);

/** Ours and the AI SDK's, OpenAI's and OpenRouter's, Anthropic's. */
const REASONING_TYPES: ReadonlySet<string> = new Set(["reasoning", "thinking", "redacted_thinking"]);

/** The fields beside a message's content in which providers and gateways keep what a model thought. */
const REASONING_FIELDS: ReadonlySet<string> = new Set([
  ...["reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks"],
]);

/** Ours, and those of other frameworks for an image, a sound, a video or a file. */
const MEDIA_TYPE = /media|image|audio|video|file|document|screenshot/;

export const isTextPart = ({ type }: Pick<ContentPart, "type">): boolean => TEXT_TYPES.has(type);

/** Whether the part holds what a model thought, readable or not. */
export const isReasoningPart = ({ type }: Pick<ContentPart, "type">): boolean => REASONING_TYPES.has(type);

/** Whether a message's field of this name holds what a model thought. */
export const isReasoningField = (name: string): boolean => REASONING_FIELDS.has(name);

/** Whether the part is an image, a sound, a video or a file, as any framework has it. */
export const isMediaPart = ({ type }: Pick<ContentPart, "type">): boolean => MEDIA_TYPE.test(type);
