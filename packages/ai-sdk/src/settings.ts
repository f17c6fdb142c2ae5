import type { CacheableConfig, ModelConfig, ModelProvider } from "@jaf/core";
import { present } from "@jaf/memory/engine";
import * as z from "zod";
import { type Fields, isFields } from "./fields.ts";
import { type KnownModel, providerKey } from "./model.ts";
import type { AiSdkProviderOptions } from "./options.ts";
import { cacheMark } from "./prompt/cache.ts";

type ModelAgent<Ctx> = Parameters<ModelProvider<Ctx>["getCompletion"]>[1];

/** What a call asks of the model beside the conversation. Settings that the agent leaves out aren't sent. */
export function callSettings<Ctx>(
  agent: ModelAgent<Ctx>,
  known: KnownModel,
  options: AiSdkProviderOptions & { readonly cache: CacheableConfig | undefined },
): Fields {
  const config = agent.modelConfig ?? {};
  const tools = (agent.tools ?? []).map(({ schema }) => ({
    type: "function",
    name: schema.name,
    description: schema.description,
    inputSchema: jsonSchemaOf(schema.parameters),
  }));
  const mark = options.cache?.tools === true ? cacheMark(known.origin, options.cache) : undefined;
  if (mark !== undefined) tools.push(...tools.splice(-1).map((last) => ({ ...last, providerOptions: mark })));
  const format = options.structuredOutput === false ? undefined : responseFormat(agent.outputCodec);
  const providerOptions = providerOptionsFor(config, known, options);
  return {
    ...present({ temperature: config.temperature, topP: config.topP, maxOutputTokens: config.maxTokens }),
    ...(tools.length === 0 ? {} : { tools, ...toolChoice(config) }),
    ...present({ responseFormat: format }),
    // V4 alone has a place for it.
    ...(known.specification === "v4" ? present({ reasoning: config.reasoningEffort }) : {}),
    ...(Object.keys(providerOptions).length === 0 ? {} : { providerOptions }),
  };
}

function toolChoice({ toolChoice: choice }: ModelConfig): Fields {
  if (choice === undefined) return {};
  return {
    toolChoice: typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.tool },
  };
}

/** What it is called by the providers that don't call it as most do. */
const EFFORT_NAMES: Readonly<Record<string, string>> = { anthropic: "effort" };

/** By provider, the agent's own over those of every call. */
function providerOptionsFor(
  { providerOptions: own = {}, reasoningEffort }: ModelConfig,
  { model, specification }: KnownModel,
  { providerOptions: general = {} }: AiSdkProviderOptions,
): Record<string, Fields> {
  const key = providerKey(model);
  const effort =
    reasoningEffort === undefined || specification === "v4"
      ? {}
      : { [key]: { [EFFORT_NAMES[key] ?? "reasoningEffort"]: reasoningEffort } };
  const merged: Record<string, Fields> = {};
  for (const layer of [effort, general, own]) {
    for (const [name, fields] of Object.entries(layer)) merged[name] = { ...merged[name], ...fields };
  }
  return merged;
}

/** Only of an object: most providers take no other. */
function responseFormat(codec: z.ZodType | undefined): Fields | undefined {
  const schema = codec === undefined ? undefined : jsonSchemaOf(codec);
  return schema?.["type"] === "object" ? { type: "json", schema } : undefined;
}

const schemas = new WeakMap<z.ZodType, Fields>();

/** Of what the model is to write. What JSON Schema can't say is left open, and checked once it is written. */
function jsonSchemaOf(schema: z.ZodType): Fields {
  const known = schemas.get(schema);
  if (known !== undefined) return known;
  const made: unknown = z.toJSONSchema(schema, { io: "input", unrepresentable: "any", target: "draft-7" });
  const fields = isFields(made) ? made : {};
  schemas.set(schema, fields);
  return fields;
}
