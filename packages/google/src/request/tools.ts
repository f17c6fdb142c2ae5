import type { ResolvedAgent, Tool } from "@jaf/core";
import type { MediaPart, RichMessage } from "@jaf/memory";
import { messageText, present } from "@jaf/memory/internal";
import {
  base64Of,
  type Fields,
  fieldsOf,
  functionParameters,
  isMedia,
  isObject,
  mediaMention,
  optionsFor,
  type ToolNames,
  takesText,
  toolOutcome,
} from "@jaf/model-http";
import type { ModelRules } from "../model-rules.ts";
import { needsConfirmation } from "./computer-use.ts";
import { imageUrlPart, mediaPart } from "./media.ts";
import { supportedSchema } from "./output-format.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
export type AnyAgent<Ctx> = ResolvedAgent<Ctx, any>;

export interface CallContext {
  readonly rules: ModelRules;
  readonly names: ToolNames;
  /** The functions that Google declares itself. */
  readonly predefined: ReadonlySet<string>;
  /** The latest call of each id, because providers repeat ids. */
  readonly calls: Map<string, WireCall>;
}

/** A call in the request. Its result repeats name and id. */
interface WireCall {
  readonly name: string;
  readonly args: Fields;
  /** Whether Google declares the function itself, and wants a result of its own form. */
  readonly isPredefined: boolean;
  /** `undefined` if Gemini sent no id. */
  readonly id: string | undefined;
}

interface OfferedTools {
  readonly names: ToolNames;
  readonly provider: string;
  /** Google's own tools, e.g. `{ googleSearch: {} }`. */
  readonly googles: readonly unknown[];
  /** The functions that these tools declare. */
  readonly predefined: ReadonlySet<string>;
  /** Whether calls of Google's tools may be shown, which Google demands beside functions. */
  readonly showsGoogles: boolean;
}

export function toolFields<Ctx>(agent: AnyAgent<Ctx>, offered: OfferedTools): Fields {
  const { names, provider, googles, predefined, showsGoogles } = offered;
  const tools = agent.tools ?? [];
  const declared = tools
    .filter(({ schema }) => !predefined.has(schema.name))
    .map((tool) => declaration(tool, names, provider));
  const entries = [...(declared.length === 0 ? [] : [{ functionDeclarations: declared }]), ...googles];
  const isShown = showsGoogles && declared.length > 0 && googles.some(isShowable);
  const toolConfig = {
    ...present({ functionCallingConfig: tools.length === 0 ? undefined : callingConfig(agent, names) }),
    ...(isShown ? { includeServerSideToolInvocations: true } : {}),
  };
  return {
    ...(entries.length === 0 ? {} : { tools: entries }),
    ...(Object.keys(toolConfig).length === 0 ? {} : { toolConfig }),
  };
}

/** The tools that Google calls in `toolCall` parts. */
const isShowable = (tool: unknown): boolean =>
  ["googleSearch", "googleMaps", "urlContext", "fileSearch"].some((name) => name in fieldsOf(tool));

export const textFunctions = <Ctx>(tools: NonNullable<AnyAgent<Ctx>["tools"]>): ReadonlySet<string> =>
  new Set(tools.filter(({ schema }) => takesText(schema.parameters)).map(({ schema }) => schema.name));

// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
type AnyTool<Ctx> = Tool<any, Ctx>;

/** Omits the schema of a tool without parameters: older models refuse an object without properties. */
function declaration<Ctx>(tool: AnyTool<Ctx>, names: ToolNames, provider: string): Fields {
  const { name, description, parameters } = tool.schema;
  const schema = functionParameters(parameters);
  return {
    name: names.toWire(name),
    description,
    ...(isEmpty(schema) ? {} : { parametersJsonSchema: supportedSchema(schema) }),
    ...Object.assign({}, ...optionsFor(tool, "google", provider)),
  };
}

const isEmpty = (schema: Fields): boolean =>
  Object.keys(fieldsOf(schema["properties"])).length === 0 && !schema["additionalProperties"];

/** The tool choice as `functionCallingConfig`; `undefined` if the agent sets none. */
function callingConfig<Ctx>({ modelConfig }: AnyAgent<Ctx>, names: ToolNames): Fields | undefined {
  const choice = modelConfig?.toolChoice;
  if (choice === undefined) return undefined;
  return typeof choice === "string"
    ? { mode: MODES[choice] }
    : { mode: "ANY", allowedFunctionNames: [names.toWire(choice.tool)] };
}

const MODES = { auto: "AUTO", none: "NONE", required: "ANY" } as const;

/** The parts of a tool result, and the parts to send after all results of its step. */
export interface ResultParts {
  readonly parts: readonly Fields[];
  readonly behind: readonly Fields[];
}

/** Leaves out a result without its call, which the service refuses. */
export function resultParts(message: RichMessage, { calls, rules }: CallContext): ResultParts {
  const call = calls.get(message.tool_call_id ?? "");
  if (call === undefined) return { parts: [], behind: [] };
  const { inside, outside } = mediaIn(message, rules.mediaInResults);
  const response = responseOf(message, call, inside.length + outside.length > 0);
  const functionResponse = {
    ...present({ id: call.id }),
    name: call.name,
    response,
    ...(inside.length === 0 ? {} : { parts: inside }),
  };
  const behind = outside.length === 0 ? [] : [{ text: `What ${call.name} returned:` }, ...outside];
  return { parts: [{ functionResponse }], behind };
}

/**
 * The response must be an object, with `error` for a failure and `output` otherwise. That of a predefined function is the tool's
 * JSON. A call that the user had to confirm was confirmed if it ran.
 */
function responseOf(message: RichMessage, { args, isPredefined }: WireCall, hasMedia: boolean): Fields {
  const text = messageText(message);
  const { hasFailed, data } = toolOutcome(text);
  if (hasFailed) return { error: text };
  const output = text === "" && hasMedia ? "See the attached media." : text;
  return {
    ...(isPredefined && isObject(data) ? data : { output }),
    ...(needsConfirmation(args) ? { safety_acknowledgement: "true" } : {}),
  };
}

/** Media types in tool results that Google documents. */
const INSIDE: ReadonlySet<string> = new Set([
  ...["image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"],
]);

function mediaIn({ content }: RichMessage, mayBeInside: boolean) {
  const inside: Fields[] = [];
  const outside: Fields[] = [];
  for (const part of Array.isArray(content) ? content : []) {
    if (isMedia(part)) {
      const data = mayBeInside && INSIDE.has(part.mediaType) ? part.data : undefined;
      if (data === undefined) outside.push(outsidePart(part));
      else inside.push({ inlineData: { mimeType: part.mediaType, data: base64Of(data) } });
      continue;
    }
    const image = imageUrlPart(part);
    if (image !== undefined) outside.push(image);
  }
  return { inside, outside };
}

const outsidePart = (part: MediaPart): Fields =>
  part.fileId !== undefined && part.data === undefined && part.url === undefined
    ? { text: mediaMention(part) }
    : mediaPart(part);
