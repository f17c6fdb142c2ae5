import type { Message, RichMessage } from "../message.ts";
import { messageText } from "../message-text.ts";
import { calledTool } from "../tool-call.ts";
import { MEDIA_TOKENS, partTokens, thoughtTokens } from "./part-tokens.ts";
import { countText, estimateTokens, type Tokenizer } from "./tokens.ts";

/** Role and separators of a message, in tokens. */
const PER_MESSAGE = 4;
/** Id and frame of a tool call, in tokens. */
const PER_TOOL_CALL = 8;

/**
 * The tokens of a message: its text; name and arguments, or input, of each tool call; its other parts, each by its kind; 4
 * for the message and 8 for each tool call. Of further fields, `refusal` and reasoning (`reasoning_details` and the like)
 * count, and 1,600 tokens for `audio` and for each of the `attachments`. `docs/windows.md` has a table. Throws a
 * `TypeError` if the tokenizer returns no number.
 */
export function countMessageTokens(
  message: Message | RichMessage,
  tokenizer: Tokenizer = estimateTokens,
): number {
  const rich: RichMessage = message;
  let tokens = PER_MESSAGE + countText(tokenizer, messageText(message));
  for (const call of rich.tool_calls ?? []) {
    const { name, input } = calledTool(call);
    tokens += PER_TOOL_CALL + countText(tokenizer, name) + countText(tokenizer, input);
  }
  if (Array.isArray(rich.content)) {
    for (const part of rich.content) tokens += partTokens(part, tokenizer);
  }
  return tokens + fieldTokens(rich, tokenizer);
}

function fieldTokens(message: RichMessage, tokenizer: Tokenizer): number {
  const { refusal, audio, attachments } = message;
  const media = (Array.isArray(attachments) ? attachments.length : 0) + (isObject(audio) ? 1 : 0);
  const refused = typeof refusal === "string" ? countText(tokenizer, refusal) : 0;
  return refused + MEDIA_TOKENS * media + reasoningTokens(message, tokenizer);
}

/** Gateways give the same thoughts in several fields: the fullest counts. */
function reasoningTokens(message: RichMessage, tokenizer: Tokenizer): number {
  for (const blocks of [message["thinking_blocks"], message["reasoning_details"]]) {
    if (!Array.isArray(blocks) || blocks.length === 0) continue;
    const thoughts: readonly unknown[] = blocks;
    return thoughts.reduce<number>((sum, block) => sum + thoughtTokens(block, tokenizer), 0);
  }
  const text = message["reasoning_content"] ?? message["reasoning"];
  return typeof text === "string" ? countText(tokenizer, text) : 0;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
