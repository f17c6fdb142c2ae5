import type { ResolvedAgent, Tool } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { messageText, present } from "@jaf/memory/internal";
import {
  type Fields,
  fieldsOf,
  functionParameters,
  isObject,
  parseJson,
  type ToolNames,
  takesText,
} from "@jaf/model-http";
import type { ModelRules } from "../model-rules.ts";
import type { WireBlock } from "../parts.ts";
import { contentBlocks } from "./media.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
export type AnyAgent<Ctx> = ResolvedAgent<Ctx, any>;

/** A tool with text input gets an object with one text. */
// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
export function wireTool<Ctx>({ schema }: Tool<any, Ctx>, names: ToolNames): Fields {
  const { name, description, parameters } = schema;
  return { name: names.toWire(name), description, input_schema: functionParameters(parameters) };
}

export const namesOfTextTools = <Ctx>(tools: NonNullable<AnyAgent<Ctx>["tools"]>): ReadonlySet<string> =>
  new Set(tools.filter(({ schema }) => takesText(schema.parameters)).map(({ schema }) => schema.name));

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
export function resultBlock(message: RichMessage, call: WireBlock): WireBlock {
  const content = typeof message.content === "string" ? undefined : contentBlocks(message.content ?? []);
  const text = messageText(message);
  return {
    type: "tool_result",
    tool_use_id: call["id"],
    ...present({ toolset_name: call["toolset_name"] }),
    ...(content === undefined
      ? text === ""
        ? {}
        : { content: text }
      : content.length > 0
        ? { content }
        : {}),
    ...(isError(message, text) ? { is_error: true } : {}),
  };
}

const FAILURES: ReadonlySet<unknown> = new Set([
  "error",
  "validation_error",
  "permission_denied",
  "not_found",
]);

/** Whether the result is an error as the engine writes it, or as other frameworks mark it. */
function isError(message: RichMessage, text: string): boolean {
  if (message["isError"] === true || message["is_error"] === true) return true;
  if (!text.startsWith("{")) return false;
  const { status, error } = fieldsOf(parseJson(text));
  return FAILURES.has(status) && isObject(error);
}
