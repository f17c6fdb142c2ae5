import type { ModelConfig, ModelProvider, ProviderOptions } from "@jaf/core";
import type { RichMessage } from "@jaf/memory";
import { present } from "@jaf/memory/internal";
import { type Fields, fieldsOf, isSameOrigin } from "@jaf/model-http";
import type * as z from "zod";
import { type CallableTools, type KnownModel, providerKey } from "../model.ts";
import type { AiSdkProviderOptions } from "../options.ts";
import { withDownloads } from "./media.ts";
import { toPrompt } from "./messages.ts";
import type { PromptMessage } from "./prompt.ts";
import { cacheControlFor } from "./prompt-cache.ts";
import { mergedOptions, splitTools } from "./provider-options.ts";
import { promptOfSpecification } from "./specification.ts";
import { jsonSchemaOf, toolChoice, toolsOf } from "./tools.ts";

type Asked<Ctx> = Parameters<ModelProvider<Ctx>["getCompletion"]>;

/** A model call, and the tools that the reply can call. */
interface ModelCall {
  /** The argument of the model's `doGenerate` or `doStream`. */
  readonly call: Fields;
  readonly tools: CallableTools;
}

/** Returns the model call for a request of the engine. Rejects if `options.download` rejects. */
export async function modelCall<Ctx>(
  known: KnownModel,
  [state, agent, config]: Asked<Ctx>,
  options: AiSdkProviderOptions,
): Promise<ModelCall> {
  const cache = config.cache || undefined;
  const key = providerKey(known.model);
  const merged = providerOptionsFor(agent.modelConfig ?? {}, known, options);
  const { provided, options: given } = splitTools(merged, known);
  const providerTools = new Map(provided.map(({ name, id }) => [name, id]));
  const prompt = toPrompt(agent.instructions(state), state.messages, {
    origin: known.origin,
    providerKey: key,
    foreignReasoning: options.foreignReasoning ?? "omit",
    providerTools,
    cache,
  });
  await withDownloads(prompt, known.model, { download: options.download, signal: config.signal });
  const tools = toolsOf(agent.tools ?? [], provided, {
    specification: known.specification,
    providerKey: key,
    cacheControl: cache?.tools === true ? cacheControlFor(known.origin, cache) : undefined,
  });
  const providerOptions = mergedOptions(
    given,
    pendingContainer(given, known, state.messages),
    withoutThinking(given, prompt),
  );
  return {
    call: {
      ...callSettings(agent, known, options),
      ...(tools.length === 0 ? {} : { tools, ...toolChoice(agent.modelConfig ?? {}) }),
      ...(Object.keys(providerOptions).length === 0 ? {} : { providerOptions }),
      prompt: promptOfSpecification(known.specification, prompt),
      ...(options.headers === undefined ? {} : { headers: { ...options.headers } }),
      ...present({ abortSignal: config.signal }),
    },
    tools: { own: new Set(agent.tools?.map(({ schema }) => schema.name)), provider: providerTools },
  };
}

/** Returns the settings of a model call. Leaves out settings that the agent doesn't set. */
function callSettings<Ctx>(
  { modelConfig: config = {}, outputCodec }: Asked<Ctx>[1],
  { specification }: KnownModel,
  { structuredOutput }: AiSdkProviderOptions,
): Fields {
  return {
    ...present({ temperature: config.temperature, topP: config.topP, maxOutputTokens: config.maxTokens }),
    ...present({ responseFormat: structuredOutput === false ? undefined : responseFormat(outputCodec) }),
    // Only V4 has this field.
    ...(specification === "v4" ? present({ reasoning: config.reasoningEffort }) : {}),
  };
}

/** Names of the option `reasoningEffort` at providers that call it differently. */
const EFFORT_NAMES: Readonly<Record<string, string>> = { anthropic: "effort" };

/** Returns the provider options of a call, by provider name. The agent's options override the options for all calls. */
function providerOptionsFor(
  { providerOptions: own, reasoningEffort }: ModelConfig,
  { model, specification }: KnownModel,
  { providerOptions: general }: AiSdkProviderOptions,
): Record<string, Fields> {
  const key = providerKey(model);
  const effort: ProviderOptions =
    reasoningEffort === undefined || specification === "v4"
      ? {}
      : { [key]: { [EFFORT_NAMES[key] ?? "reasoningEffort"]: reasoningEffort } };
  return mergedOptions(effort, general, own);
}

/**
 * Returns the option for the container in which Anthropic's code waits for results, which the AI SDK doesn't remember. The
 * application's skills stay.
 */
function pendingContainer(
  { anthropic = {} }: Readonly<Record<string, Fields>>,
  { origin }: KnownModel,
  messages: readonly RichMessage[],
): ProviderOptions | undefined {
  const last = messages.findLast(({ role }) => role === "assistant");
  const { id } = fieldsOf(fieldsOf(fieldsOf(last?.providerMetadata)["anthropic"])["container"]);
  return typeof id === "string" && messages.at(-1)?.role === "tool" && isSameOrigin(last?.origin, origin)
    ? { anthropic: { container: { ...fieldsOf(anthropic["container"]), id } } }
    : undefined;
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
 * Returns the option that disables thinking if Anthropic would otherwise refuse the prompt. Older models with
 * `thinking: { type: "enabled" }` refuse tool results in a step that doesn't begin with their own thinking, e.g. after a
 * handoff. Anthropic's error message advises to disable thinking in this case.
 */
const withoutThinking = (
  { anthropic = {} }: Readonly<Record<string, Fields>>,
  prompt: readonly PromptMessage[],
): ProviderOptions | undefined =>
  fieldsOf(anthropic["thinking"])["type"] === "enabled" && isUnderWayWithoutThinking(prompt)
    ? { anthropic: { thinking: { type: "disabled" } } }
    : undefined;

function isUnderWayWithoutThinking(prompt: readonly PromptMessage[]): boolean {
  // A user message may follow; the results still come first.
  const behind = prompt.findLastIndex(({ role }) => role === "assistant") + 1;
  const message = prompt[behind - 1];
  if (message?.role !== "assistant" || prompt[behind]?.role !== "tool") return false;
  return message.content[0]?.type !== "reasoning";
}
