import type { Message, RichMessage } from "../message.ts";
import { messageText } from "../message-text.ts";
import { calledTool } from "../tool-call.ts";

/** How many tokens a text is; a fraction counts as the next whole number. */
export type Tokenizer = (text: string) => number;

/** Role and separators of a message, in tokens. */
const PER_MESSAGE = 4;
/** Id and frame of a tool call, in tokens. */
const PER_TOOL_CALL = 8;
/** An image, file or other part that isn't text, in tokens: what a large image costs at most with Anthropic. */
const PER_MEDIA_PART = 1_600;

// In twelfths of a token, so that the sum stays a whole number.
const LETTER = 3;
const OTHER_ASCII = 8;
const BYTE = 12;

function twelfths(code: number): number {
  if (code >= 0x80) {
    if (code < 0x800) return 2 * BYTE;
    // Either half of a pair of surrogates stands for two of four bytes.
    return (code >= 0xd800 && code <= 0xdfff ? 2 : 3) * BYTE;
  }
  const letter = code | 0x20;
  return code <= 0x20 || (letter >= 0x61 && letter <= 0x7a) ? LETTER : OTHER_ASCII;
}

/**
 * The tokens of a text without a vocabulary, on the high side: a quarter for a letter of ASCII or white space, two
 * thirds for a digit or sign of ASCII, and one for each UTF-8 byte of everything else, more than which no
 * tokenizer that works on bytes makes. `docs/windows.md` has measurements.
 */
export const estimateTokens: Tokenizer = (text) => {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum += twelfths(text.charCodeAt(index));
  return Math.ceil(sum / 12);
};

function count(tokenizer: Tokenizer, text: string): number {
  if (text === "") return 0;
  const tokens: unknown = tokenizer(text);
  if (typeof tokens === "number" && tokens >= 0 && Number.isFinite(tokens)) return Math.ceil(tokens);
  throw new TypeError("Invalid tokenizer: expected it to return a finite number from 0.");
}

function mediaParts({ content, attachments }: RichMessage): number {
  const parts = Array.isArray(content) ? content.filter((part) => typeof part.text !== "string").length : 0;
  return parts + (Array.isArray(attachments) ? attachments.length : 0);
}

/**
 * The tokens of a message: its text, name and arguments of each tool call, 4 for the message, 8 for each tool call,
 * and 1,600 for each content part that isn't text and each attachment. Other fields don't count.
 */
export function countMessageTokens(
  message: Message | RichMessage,
  tokenizer: Tokenizer = estimateTokens,
): number {
  let tokens = PER_MESSAGE + count(tokenizer, messageText(message));
  for (const call of message.tool_calls ?? []) {
    const { name, input } = calledTool(call);
    tokens += PER_TOOL_CALL + count(tokenizer, name) + count(tokenizer, input);
  }
  return tokens + PER_MEDIA_PART * mediaParts(message);
}
