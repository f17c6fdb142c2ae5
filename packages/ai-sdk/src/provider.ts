import type { ModelProvider } from "@jaf/core";
import { checkRelease, parseOptions } from "@jaf/memory/internal";
import { callErrorOf } from "./errors.ts";
import { type AiSdkModel, type AiSdkModelFactory, type KnownModel, knownModel } from "./model.ts";
import { type AiSdkProviderOptions, providerOptionsSchema } from "./options.ts";
import { completionOf } from "./reply/reply.ts";
import { chunksOf } from "./reply/stream.ts";
import { modelCall } from "./request/request.ts";

/**
 * Creates a model provider for a language model of the AI SDK. Pass a model, or a factory that returns models by name (e.g.
 * a provider of the AI SDK). A factory gets the first name that is set: `RunConfig.modelOverride`, the agent's
 * `modelConfig.name` or `options.model`. A model that you pass is always used, whatever these names are.
 *
 * Replies are stored completely, in order and with their metadata, and the same model gets them back unchanged. Other
 * models get only the readable parts: texts, calls, results and files. Failed model calls reject with the model's error; an
 * error of the AI SDK becomes an {@link AiSdkCallError}.
 *
 * @example
 * ```ts
 * import { anthropic } from "@ai-sdk/anthropic";
 * import { createAiSdkProvider } from "@jaf/ai-sdk";
 *
 * export const modelProvider = createAiSdkProvider(anthropic("claude-sonnet-4-5"));
 * export const byName = createAiSdkProvider(anthropic, { model: "claude-sonnet-4-5" });
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: it works with any context
export function createAiSdkProvider<Ctx = any>(
  model: AiSdkModel | AiSdkModelFactory,
  options: AiSdkProviderOptions = {},
): ModelProvider<Ctx> {
  checkRelease(globalThis.JAF_RELEASE);
  const own = parseOptions(providerOptionsSchema, options, "options of the AI SDK provider");
  const given = typeof model === "function" ? undefined : knownModel(model);
  const modelFor = async (name: string | undefined): Promise<KnownModel> => {
    if (typeof model !== "function") return given ?? knownModel(model);
    if (name === undefined) {
      throw new TypeError(
        "No model is set: set the agent's modelConfig.name, the run's modelOverride or the option model.",
      );
    }
    return knownModel(await model(name));
  };

  const prepare = async (...asked: Parameters<ModelProvider<Ctx>["getCompletion"]>) => {
    const [, agent, config] = asked;
    const known = await modelFor(config.modelOverride ?? agent.modelConfig?.name ?? own.model);
    return { known, ...(await modelCall(known, asked, own)) };
  };

  return {
    service: given?.model.provider,
    defaultModel: given?.model.modelId ?? own.model,
    getCompletion: async (...request) => {
      const { call, ...replying } = await prepare(...request);
      const { model } = replying.known;
      try {
        return completionOf(await model.doGenerate(call), replying);
      } catch (thrown) {
        throw await callErrorOf(thrown, model.provider);
      }
    },
    getCompletionStream: async function* (...request) {
      const { call, ...replying } = await prepare(...request);
      yield* chunksOf(() => replying.known.model.doStream(call), replying);
    },
  };
}
