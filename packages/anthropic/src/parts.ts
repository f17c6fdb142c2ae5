import type { ContentPart } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import { type Fields, fieldsOf, isMedia, mediaMention, parseJson } from "@jaf/model-http";

/** A content block in the API's format, with any additional fields. */
export type WireBlock = Fields & { readonly type: string };

export interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly WireBlock[];
}

/** Returns no block for a blank text, which Anthropic refuses. */
export const textBlocks = (text: string): readonly WireBlock[] =>
  text.trim() === "" ? [] : [{ type: "text", text }];

/** Whether a block lacks the signature that Claude's thinking has, e.g. because the model was stopped in the middle. */
export const isUnsigned = ({ type, signature }: WireBlock): boolean =>
  type === "thinking" && (typeof signature !== "string" || signature === "");

export const isThinking = ({ type }: WireBlock): boolean =>
  type === "thinking" || type === "redacted_thinking";

/**
 * Converts a block of Anthropic's into a content part.
 *
 * | block | part |
 * | --- | --- |
 * | `thinking` | `reasoning` with `text` and `signature` |
 * | `redacted_thinking` | `reasoning` with `encrypted` |
 * | `server_tool_use`, `mcp_tool_use` | `provider-tool-call` |
 * | `web_search_tool_result` and other results of these | `provider-tool-result` |
 * | any other | unchanged |
 *
 * `providerMetadata.anthropic` holds the block's `type` and the fields that the part doesn't have.
 */
export function partOf(block: WireBlock, toolNames: ReadonlyMap<unknown, string>): ContentPart {
  const { type, ...fields } = block;
  if (type === "thinking") {
    const { thinking, ...rest } = fields;
    return { type: "reasoning", text: typeof thinking === "string" ? thinking : "", ...rest };
  }
  if (type === "redacted_thinking") {
    const { data, ...rest } = fields;
    return { type: "reasoning", encrypted: data, ...rest };
  }
  if (isServerCall(block) || type === "tool_use") {
    const { id, name, input: _, ...rest } = fields;
    return { type: "provider-tool-call", id, name, input: inputIn(fields), ...withMetadata(type, rest) };
  }
  if (isServerResult(block)) {
    const { tool_use_id: id, content: output, ...rest } = fields;
    const name = toolNames.get(id);
    const isError = rest["is_error"] === true || String(fieldsOf(output)["type"]).endsWith("_error");
    return {
      type: "provider-tool-result",
      id,
      ...present({ name }),
      output,
      ...(isError ? { isError } : {}),
      ...withMetadata(type, rest),
    };
  }
  return block;
}

const withMetadata = (type: string, rest: Fields): Fields => ({
  providerMetadata: { anthropic: { type, ...rest } },
});

/** The input of a call as Anthropic takes it: an object. A streamed call has JSON text, a call without input may have none. */
export const inputIn = ({ input }: Fields): Fields =>
  fieldsOf(typeof input === "string" ? parseJson(input) : input);

export const isServerCall = ({ type, id }: WireBlock): boolean =>
  (type === "server_tool_use" || type === "mcp_tool_use") && typeof id === "string";

export const isServerResult = ({ type, tool_use_id }: WireBlock): boolean =>
  type.endsWith("tool_result") && typeof tool_use_id === "string";

/** Converts a part back into blocks. Leaves out blank texts, which Anthropic refuses. */
export function blocksOf(part: ContentPart): readonly WireBlock[] {
  if (isMedia(part)) return textBlocks(mediaMention(part));
  const { type, providerMetadata, ...fields } = part;
  const { type: blockType, ...rest } = fieldsOf(fieldsOf(providerMetadata)["anthropic"]);
  switch (type) {
    case "source":
      return [];
    case "text":
      return blocksOfText(fields);
    case "refusal":
      return typeof fields["refusal"] === "string" ? textBlocks(fields["refusal"]) : [];
    case "reasoning":
      return blocksOfThinking(fields);
    case "provider-tool-call": {
      const { id, name, input } = fields;
      return typeof blockType === "string" ? [{ type: blockType, id, name, input, ...rest }] : [];
    }
    case "provider-tool-result": {
      const { id, output } = fields;
      return typeof blockType === "string"
        ? [{ type: blockType, tool_use_id: id, content: output, ...rest }]
        : [];
    }
    default:
      return [{ ...fields, type }];
  }
}

function blocksOfText({ text, segments, ...rest }: Fields): readonly WireBlock[] {
  if (typeof text !== "string") return [];
  const pieces = Array.isArray(segments) ? segments.map(fieldsOf) : [];
  const lengths = pieces.map(({ length }) => (typeof length === "number" ? length : 0));
  // If the text was changed, the segments don't fit any more.
  const isWhole = pieces.length > 0 && lengths.reduce((sum, length) => sum + length, 0) === text.length;
  if (!isWhole) return textBlocks(text).map((block) => ({ ...block, ...rest }));
  let at = 0;
  return pieces.flatMap(({ length: _, ...further }, index) => {
    const piece = text.slice(at, at + (lengths[index] ?? 0));
    at += piece.length;
    return textBlocks(piece).map((block) => ({ ...block, ...further }));
  });
}

function blocksOfThinking({ text, encrypted, ...rest }: Fields): readonly WireBlock[] {
  if (typeof encrypted === "string") return [{ type: "redacted_thinking", data: encrypted, ...rest }];
  return [{ type: "thinking", thinking: text ?? "", ...rest }];
}

/**
 * Joins consecutive text blocks, because Anthropic begins a new block at each citation, even inside a sentence. `segments`
 * then holds the length and the other fields of each block.
 */
export function textPartOf(blocks: readonly WireBlock[]): ContentPart {
  const texts = blocks.map(({ text }) => (typeof text === "string" ? text : ""));
  const further = blocks.map(({ type: _, text: __, ...rest }) => withoutEmpty(rest));
  const text = texts.join("");
  if (blocks.length === 1) return { type: "text", text, ...further[0] };
  return {
    type: "text",
    text,
    segments: further.map((rest, at) => ({ length: texts[at]?.length, ...rest })),
  };
}

/** The fields without nulls and empty lists, which streams send where other replies have no field, and vice versa. */
export const withoutEmpty = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  );
