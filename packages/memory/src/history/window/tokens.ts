import type { ContentPart, Message, RichMessage } from "../../contract/message.ts";
import {
  isMediaPart,
  isReasoningPart,
  messageText,
  partText,
  toolCallIdOf,
} from "../messages/message-content.ts";
import { calledTool } from "../messages/tool-calls.ts";

/** Returns the number of tokens in a text. Fractions are rounded up. */
export type Tokenizer = (text: string) => number;

// Counted in twelfths of a token, so that the sum stays a whole number.
const LETTER = 3;
const OTHER_ASCII = 8;
const BYTE = 12;

function twelfths(code: number): number {
  if (code >= 0x80) {
    if (code < 0x800) return 2 * BYTE;
    // Each half of a surrogate pair stands for two of the pair's four bytes.
    return (code >= 0xd800 && code <= 0xdfff ? 2 : 3) * BYTE;
  }
  const letter = code | 0x20;
  return code <= 0x20 || (letter >= 0x61 && letter <= 0x7a) ? LETTER : OTHER_ASCII;
}

/**
 * Estimates the number of tokens in a text without a vocabulary. The estimate is rather too high.
 *
 * - An ASCII letter or white space counts as a quarter of a token.
 * - An ASCII digit or sign counts as two thirds of a token.
 * - Each UTF-8 byte of all other text counts as one token. No byte-level tokenizer makes more.
 *
 * `docs/windows.md` contains measurements.
 *
 * @example
 * ```ts
 * import { estimateTokens } from "@jaf/memory/history";
 *
 * console.log(estimateTokens("What is the capital of France?"));
 * ```
 */
export const estimateTokens: Tokenizer = (text) => {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum += twelfths(text.charCodeAt(index));
  return Math.ceil(sum / 12);
};

/**
 * Counts the tokens of a text and rounds the number up. Throws a `TypeError` if the tokenizer returns a negative number
 * or no finite number.
 */
function countText(tokenizer: Tokenizer, text: string): number {
  if (text === "") return 0;
  const tokens: unknown = tokenizer(text);
  if (typeof tokens === "number" && tokens >= 0 && Number.isFinite(tokens)) return Math.ceil(tokens);
  throw new TypeError("Invalid tokenizer: expected it to return a finite number of at least 0.");
}

/** The tokens for the role of a message and for the separators around it. */
const PER_MESSAGE = 4;
/** The tokens for the id of a tool call and for the text around it. */
const PER_TOOL_CALL = 8;

/**
 * Returns the number of tokens of a message. These numbers are added:
 *
 * - the tokens of the message's text, and of the name and the arguments (or input) of each tool call,
 * - the tokens of the other parts of the message, depending on their kind,
 * - 4 tokens for the message and 8 for each tool call,
 * - the tokens of some additional fields: `refusal`, reasoning (e.g. `reasoning_details`), and 1,600 tokens for `audio`
 *   and for each item of `attachments`.
 *
 * `docs/windows.md` contains a table of all kinds of parts. Throws a `TypeError` if the tokenizer doesn't return a
 * finite number of at least 0.
 *
 * @example
 * ```ts
 * import type { Message } from "@jaf/memory";
 * import { countMessageTokens } from "@jaf/memory/history";
 *
 * declare const history: readonly Message[];
 *
 * console.log(history.reduce((sum, message) => sum + countMessageTokens(message), 0));
 * ```
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

/**
 * Counts the reasoning in the fields of a message. If several fields contain reasoning, only the most detailed one
 * counts.
 */
function reasoningTokens(message: RichMessage, tokenizer: Tokenizer): number {
  // Gateways repeat the same reasoning in several fields.
  for (const blocks of [message["thinking_blocks"], message["reasoning_details"]]) {
    if (!Array.isArray(blocks) || blocks.length === 0) continue;
    const thoughts: readonly unknown[] = blocks;
    return thoughts.reduce<number>((sum, block) => sum + reasoningTokensOf(block, tokenizer), 0);
  }
  const text = message["reasoning_content"] ?? message["reasoning"];
  return typeof text === "string" ? countText(tokenizer, text) : 0;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The tokens of an image, audio or a file: the maximum for a large image with Anthropic. */
const MEDIA_TOKENS = 1_600;

/** How many characters of opaque data (e.g. encrypted reasoning) count as one token. */
const OPAQUE_CHARACTERS_PER_TOKEN = 4;

/** Matches long base64 text. No language has words of this length. */
const BLOB = /^(?:data:[^,]{0,200},)?[\w+/=-]{1000,}$/;

const opaqueTokens = (text: string): number => Math.ceil(text.length / OPAQUE_CHARACTERS_PER_TOKEN);

/** Returns the tokens of a part; 0 for a text part, which is counted with the message's text. */
function partTokens(part: ContentPart, tokenizer: Tokenizer): number {
  if (partText(part) !== undefined || toolCallIdOf(part) !== undefined) return 0;
  if (isReasoningPart(part)) return reasoningTokensOf(part, tokenizer);
  const { refusal, name, input, output, text } = part as Readonly<Record<string, unknown>>;
  switch (part.type) {
    case "refusal":
      return textTokens(refusal, tokenizer);
    case "provider-tool-call":
      return textTokens(name, tokenizer) + jsonTokens(input, tokenizer);
    case "provider-tool-result":
      return jsonTokens(output, tokenizer);
    // No request contains sources.
    case "source":
      return 0;
    default:
      if (isMediaPart(part)) return MEDIA_TOKENS;
      return typeof text === "string" ? countText(tokenizer, text) : jsonTokens(part, tokenizer);
  }
}

/** Counts the tokens of reasoning: its readable text, and a quarter of a token for each character of encrypted text. */
function reasoningTokensOf(thought: unknown, tokenizer: Tokenizer): number {
  // A signature only counts if the reasoning has no text.
  if (typeof thought !== "object" || thought === null) return 0;
  const { text, thinking, summary, content, encrypted, encrypted_content, data, ...rest } =
    thought as Readonly<Record<string, unknown>>;
  const readable = [text, thinking, summary, content].flatMap(textsOf);
  const hidden = [encrypted, encrypted_content, data].flatMap(textsOf);
  if (readable.length + hidden.length === 0) return opaqueTokens(jsonOf(rest).text);
  const sum = (texts: readonly string[], count: (text: string) => number) =>
    texts.reduce((tokens, each) => tokens + count(each), 0);
  return sum(readable, (each) => countText(tokenizer, each)) + sum(hidden, opaqueTokens);
}

/** Returns the texts in a value that is a text or a list of parts. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (!Array.isArray(value)) return [];
  return value.flatMap((part: unknown) =>
    typeof part === "object" && part !== null && "text" in part ? textsOf(part.text) : [],
  );
}

const textTokens = (value: unknown, tokenizer: Tokenizer): number =>
  typeof value === "string" ? countText(tokenizer, value) : 0;

function jsonTokens(value: unknown, tokenizer: Tokenizer): number {
  const { text, aside } = jsonOf(value);
  return countText(tokenizer, text) + aside;
}

/**
 * Converts a value into JSON text without bytes and long base64. `aside` is the number of tokens for what was left out.
 */
function jsonOf(value: unknown): { readonly text: string; readonly aside: number } {
  // Each value that was left out counts at most as much as one media part.
  let aside = 0;
  const text = JSON.stringify(value, (_, field: unknown) => {
    if (field instanceof Uint8Array) {
      aside += MEDIA_TOKENS;
      return undefined;
    }
    if (typeof field !== "string" || !BLOB.test(field)) return field;
    aside += Math.min(opaqueTokens(field), MEDIA_TOKENS);
    return undefined;
  });
  return { text: text ?? "", aside };
}
