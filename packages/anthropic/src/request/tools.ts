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

/** A tool whose input is a text takes an object of one. */
// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
export function wireTool<Ctx>({ schema }: Tool<any, Ctx>, names: ToolNames): Fields {
  const { name, description, parameters } = schema;
  return { name: names.toWire(name), description, input_schema: functionParameters(parameters) };
}

export const namesOfTextTools = <Ctx>(tools: NonNullable<AnyAgent<Ctx>["tools"]>): ReadonlySet<string> =>
  new Set(tools.filter(({ schema }) => takesText(schema.parameters)).map(({ schema }) => schema.name));

/** Which the agent asks for. `isForced`: the model has to call one. */
export interface WireToolChoice {
  readonly choice: Fields | undefined;
  readonly isForced: boolean;
}

/** `serial`: whether the model may call no more than one at a time. A model that can't be made to call a tool may call one. */
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

/** `call`: the block that it answers. */
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

/** As the engine writes a failed result, or as other frameworks mark one. */
function isError(message: RichMessage, text: string): boolean {
  if (message["isError"] === true || message["is_error"] === true) return true;
  if (!text.startsWith("{")) return false;
  const { status, error } = fieldsOf(parseJson(text));
  return FAILURES.has(status) && isObject(error);
}
