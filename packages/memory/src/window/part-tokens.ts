import type { ContentPart } from "../content-part.ts";
import { partText } from "../message-text.ts";
import { placeOf } from "../messages/content.ts";
import { isMediaPart, isReasoningPart } from "../part-kinds.ts";
import { countText, type Tokenizer } from "./tokens.ts";

/** An image, sound or file, in tokens: what a large image costs at most with Anthropic. */
export const MEDIA_TOKENS = 1_600;

/** Of what is opaque, e.g. encrypted: base64 of three bytes of text has four characters. */
const OPAQUE_CHARACTERS_PER_TOKEN = 4;

/** Base64 of some length: no words of any language are that long. */
const BLOB = /^(?:data:[^,]{0,200},)?[\w+/=-]{1000,}$/;

const opaqueTokens = (text: string): number => Math.ceil(text.length / OPAQUE_CHARACTERS_PER_TOKEN);

/** The tokens of a part apart from its text, which counts with that of its message. */
export function partTokens(part: ContentPart, tokenizer: Tokenizer): number {
  if (partText(part) !== undefined || placeOf(part) !== undefined) return 0;
  if (isReasoningPart(part)) return thoughtTokens(part, tokenizer);
  const { refusal, name, input, output, title, url, text } = part as Readonly<Record<string, unknown>>;
  switch (part.type) {
    case "refusal":
      return textTokens(refusal, tokenizer);
    case "provider-tool-call":
      return textTokens(name, tokenizer) + jsonTokens(input, tokenizer);
    case "provider-tool-result":
      return jsonTokens(output, tokenizer);
    case "source":
      return textTokens(title, tokenizer) + textTokens(url, tokenizer);
    default:
      if (isMediaPart(part)) return MEDIA_TOKENS;
      return typeof text === "string" ? countText(tokenizer, text) : jsonTokens(part, tokenizer);
  }
}

/**
 * What was thought, as ours or another framework's: its text, and a quarter of a token for each character of what is
 * encrypted, which stands for text. A signature counts only where it is all there is.
 */
export function thoughtTokens(thought: unknown, tokenizer: Tokenizer): number {
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

/** A text that isn't empty, or those in a list of parts. */
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

/** As JSON text, without bytes and long base64, which count aside: each no more than a medium. */
function jsonOf(value: unknown): { readonly text: string; readonly aside: number } {
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
