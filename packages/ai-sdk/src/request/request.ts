import type { CacheableConfig, ModelConfig, ModelProvider } from "@jaf/core";
import { present } from "@jaf/memory/internal";
import { type Fields, fieldsOf } from "@jaf/model-http";
import type * as z from "zod";
import { type KnownModel, providerKey } from "../model.ts";
import type { AiSdkProviderOptions } from "../options.ts";
import { withDownloads } from "./media.ts";
import { toPrompt } from "./messages.ts";
import type { PromptMessage } from "./prompt.ts";
import { cacheControlFor } from "./prompt-cache.ts";
import { promptOfSpecification } from "./specification.ts";
import { jsonSchemaOf, toolChoice, toolsOf } from "./tools.ts";

type Asked<Ctx> = Parameters<ModelProvider<Ctx>["getCompletion"]>;

/** Returns the argument of the model's `doGenerate` or `doStream`. Rejects if `options.download` rejects. */
export async function callRequest<Ctx>(
  known: KnownModel,
  [state, agent, config]: Asked<Ctx>,
  options: AiSdkProviderOptions,
): Promise<Fields> {
  const cache = config.cache || undefined;
  const prompt = toPrompt(agent.instructions(state), state.messages, {
    origin: known.origin,
    providerKey: providerKey(known.model),
    foreignReasoning: options.foreignReasoning ?? "omit",
    cache,
  });
  await withDownloads(prompt, known.model, { download: options.download, signal: config.signal });
  return {
    ...withoutRefusedThinking(callSettings(agent, known, { ...options, cache }), prompt),
    prompt: promptOfSpecification(known.specification, prompt),
    ...(options.headers === undefined ? {} : { headers: { ...options.headers } }),
    ...present({ abortSignal: config.signal }),
  };
}

/** Returns the settings of a model call. Leaves out settings that the agent doesn't set. */
function callSettings<Ctx>(
  agent: Asked<Ctx>[1],
  known: KnownModel,
  options: AiSdkProviderOptions & { readonly cache: CacheableConfig | undefined },
): Fields {
  const config = agent.modelConfig ?? {};
  const cacheControl =
    options.cache?.tools === true ? cacheControlFor(known.origin, options.cache) : undefined;
  const tools = toolsOf(agent.tools ?? [], cacheControl);
  const format = options.structuredOutput === false ? undefined : responseFormat(agent.outputCodec);
  const providerOptions = providerOptionsFor(config, known, options);
  return {
    ...present({ temperature: config.temperature, topP: config.topP, maxOutputTokens: config.maxTokens }),
    ...(tools.length === 0 ? {} : { tools, ...toolChoice(config) }),
    ...present({ responseFormat: format }),
    // Only V4 has this field.
    ...(known.specification === "v4" ? present({ reasoning: config.reasoningEffort }) : {}),
    ...(Object.keys(providerOptions).length === 0 ? {} : { providerOptions }),
  };
}

/** Names of the option `reasoningEffort` at providers that call it differently. */
const EFFORT_NAMES: Readonly<Record<string, string>> = { anthropic: "effort" };

/** Returns the provider options of a call, by provider name. The agent's options override the options for all calls. */
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

/**
 * Returns the setting for the reply's format. Returns `undefined` unless the schema is an object schema: most providers
 * accept nothing else.
 */
function responseFormat(codec: z.ZodType | undefined): Fields | undefined {
  const schema = codec === undefined ? undefined : jsonSchemaOf(codec);
  return schema?.["type"] === "object" ? { type: "json", schema } : undefined;
}

/**
 * Disables thinking if Anthropic would otherwise refuse the prompt. Older models with `thinking: { type: "enabled" }`
 * refuse tool results in a step that doesn't begin with their own thinking, e.g. after a handoff. Anthropic's error message
 * advises to disable thinking in this case.
 */
function withoutRefusedThinking(settings: Fields, prompt: readonly PromptMessage[]): Fields {
  const options = fieldsOf(settings["providerOptions"]);
  const anthropic = fieldsOf(options["anthropic"]);
  if (fieldsOf(anthropic["thinking"])["type"] !== "enabled" || !isUnderWayWithoutThinking(prompt)) {
    return settings;
  }
  const thinking = { type: "disabled" };
  return { ...settings, providerOptions: { ...options, anthropic: { ...anthropic, thinking } } };
}

function isUnderWayWithoutThinking(prompt: readonly PromptMessage[]): boolean {
  // A user message may follow; the results still come first.
  const behind = prompt.findLastIndex(({ role }) => role === "assistant") + 1;
  const message = prompt[behind - 1];
  if (message?.role !== "assistant" || prompt[behind]?.role !== "tool") return false;
  return message.content[0]?.type !== "reasoning";
}
