import type { Fields } from "@jaf/model-http";

/** A content block as it goes over the wire, further fields included. */
export type WireBlock = Fields & { readonly type: string };

export interface WireTurn {
  readonly role: "user" | "assistant";
  readonly content: readonly WireBlock[];
}

/** No block where there is nothing to be read: Anthropic refuses texts of white space alone. */
export const textBlocks = (text: string): readonly WireBlock[] =>
  text.trim() === "" ? [] : [{ type: "text", text }];

export const isThinking = ({ type }: WireBlock): boolean =>
  type === "thinking" || type === "redacted_thinking";
