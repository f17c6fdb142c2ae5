import type { CacheableConfig, ModelConfig, ModelProvider } from "@jaf/core";
import { present } from "@jaf/memory/internal";
import type * as z from "zod";
import { type Fields, fieldsOf } from "../fields.ts";
import { type KnownModel, providerKey } from "../model.ts";
import type { AiSdkProviderOptions } from "../options.ts";
import { withDownloads } from "./media.ts";
import { toPrompt } from "./messages.ts";
import type { PromptMessage } from "./prompt.ts";
import { cacheControlFor } from "./prompt-cache.ts";
import { promptOfSpecification } from "./specification.ts";
import { jsonSchemaOf, toolChoice, toolsOf } from "./tools.ts";

type Asked<Ctx> = Parameters<ModelProvider<Ctx>["getCompletion"]>;

/** What a model is called with. Rejects as `options.download` does. */
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

/** What a call asks of the model beside the conversation. Settings that the agent leaves out aren't sent. */
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
    // V4 alone has a place for it.
    ...(known.specification === "v4" ? present({ reasoning: config.reasoningEffort }) : {}),
    ...(Object.keys(providerOptions).length === 0 ? {} : { providerOptions }),
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

/**
 * The settings of a call, for this prompt. Anthropic's older models, told to think (`thinking: { type: "enabled" }`), refuse
 * a turn of tools under way that doesn't begin with thinking of their own: one that was handed to them in its middle, say.
 * They aren't told to think then, which is what Anthropic's refusal asks for.
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
  // The user may have said something since: results still stand first in the message.
  const behind = prompt.findLastIndex(({ role }) => role === "assistant") + 1;
  const message = prompt[behind - 1];
  if (message?.role !== "assistant" || prompt[behind]?.role !== "tool") return false;
  return message.content[0]?.type !== "reasoning";
}
