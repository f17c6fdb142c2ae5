import { textIn, utf8Of, wrapInTag } from "@jaf/memory/internal";

export interface CutText {
  readonly text: string;
  /** The size of what is left out, in bytes of UTF-8. 0: nothing. */
  readonly cut: number;
}

/** Cuts a text to a number of bytes of UTF-8, between two characters. Lone surrogates become U+FFFD. */
export function cutText(text: string, maxBytes: number): CutText {
  const bytes = utf8Of(text);
  if (bytes.length <= maxBytes) return { text: textIn(bytes), cut: 0 };
  let end = maxBytes;
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { text: textIn(bytes.subarray(0, end)), cut: bytes.length - end };
}

/** Wraps what a server says, so that the model can tell it from instructions. */
export const wrapped = (text: string): string => wrapInTag("mcp-result", text);

const QUOTED_BYTES = 2_000;

/** A short text of a server, such as an error message. */
export const quoted = (text: string): string => wrapped(cutText(text, QUOTED_BYTES).text);
