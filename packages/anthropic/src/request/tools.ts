import type { ResolvedAgent } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { messageText, present } from "@jaf/memory/internal";
import { type Fields, fieldsOf, isObject, listOf, type ToolNames, toolOutcome } from "@jaf/model-http";
import type { ModelRules } from "../model-rules.ts";
import type { WireBlock } from "../parts.ts";
import { contentBlocks } from "./media.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
export type AnyAgent<Ctx> = ResolvedAgent<Ctx, any>;

/** The agent's tool choice. `isForced`: the model must call a tool. */
export interface WireToolChoice {
  readonly choice: Fields | undefined;
  readonly isForced: boolean;
}

/** `serial` disables parallel calls. If the model doesn't support forced calls, the choice becomes `auto`. */
export function toolChoice<Ctx>(
  { modelConfig }: AnyAgent<Ctx>,
  {
    names,
    rules,
    serial,
  }: { readonly names: ToolNames; readonly rules: ModelRules; readonly serial: boolean },
): WireToolChoice {
  const asked = modelConfig?.toolChoice ?? (serial ? "auto" : undefined);
  if (asked === undefined) return { choice: undefined, isForced: false };
  if (asked === "none") return { choice: { type: "none" }, isForced: false };
  const limit = serial ? { disable_parallel_tool_use: true } : {};
  if (asked === "auto" || !rules.forcedTools) return { choice: { type: "auto", ...limit }, isForced: false };
  const forced = asked === "required" ? { type: "any" } : { type: "tool", name: names.toWire(asked.tool) };
  return { choice: { ...forced, ...limit }, isForced: true };
}

/** `call` is the block of the answered call. */
export function resultBlock(message: RichMessage, call: WireBlock, names: ToolNames): WireBlock {
  const text = messageText(message);
  const content =
    typeof message.content === "string" ? blocksIn(text, names) : contentBlocks(message.content ?? []);
  const isEmpty = content === undefined ? text === "" : content.length === 0;
  return {
    type: "tool_result",
    tool_use_id: call["id"],
    ...present({ toolset_name: call["toolset_name"] }),
    ...(isEmpty ? {} : { content: content ?? text }),
    ...(isError(message, text) ? { is_error: true } : {}),
  };
}

/** The blocks of a result that Anthropic defines and JAF has no part for, by their types. */
const RESULT_BLOCKS: Readonly<Record<string, (block: Fields) => boolean>> = {
  tool_reference: ({ tool_name }) => typeof tool_name === "string",
  search_result: ({ source, content }) => typeof source === "string" && Array.isArray(content),
  browser_state: ({ tabs }) => Array.isArray(tabs),
  image: ({ source }) => isObject(source),
  document: ({ source }) => isObject(source),
  text: ({ text }) => typeof text === "string" && text.trim() !== "",
};

/** Returns the blocks of a tool that returned a list of Anthropic's own blocks; `undefined` for any other text. */
function blocksIn(text: string, names: ToolNames): readonly WireBlock[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const blocks = listOf(toolOutcome(text).data).map(fieldsOf);
  const isOwn = (block: Fields): boolean => RESULT_BLOCKS[String(block["type"])]?.(block) === true;
  if (blocks.length === 0 || !blocks.every(isOwn)) return undefined;
  return blocks.map((block) => {
    const { type, tool_name: name } = block;
    return {
      ...block,
      type: String(type),
      ...(name === undefined ? {} : { tool_name: names.toWire(String(name)) }),
    };
  });
}

/** Whether the result is an error as the engine writes it, or as other frameworks mark it. */
const isError = (message: RichMessage, text: string): boolean =>
  message["isError"] === true || message["is_error"] === true || toolOutcome(text).hasFailed;
