import type { ModelProvider } from "@jaf/core";
import { parseOptions } from "@jaf/memory/internal";
import { callErrorOf } from "./errors.ts";
import { type AiSdkModel, type AiSdkModelFactory, type KnownModel, knownModel } from "./model.ts";
import { type AiSdkProviderOptions, providerOptionsSchema } from "./options.ts";
import { completionOf } from "./reply/reply.ts";
import { chunksOf } from "./reply/stream.ts";
import { callRequest } from "./request/request.ts";

/**
 * A model provider that calls a language model of the AI SDK: one of its models, or what gives one by name, such as one of
 * its providers. The name is `RunConfig.modelOverride`, else the agent's `modelConfig.name`, else `options.model`; of a
 * model that was handed in, it changes nothing.
 *
 * All that the model says is kept, in order, with its metadata, and given back to it as it came. Another model gets of it
 * what can be read: texts, calls, results and files. Rejects with what the model throws; what the AI SDK throws becomes an
 * {@link AiSdkCallError}.
 *
 * @example
 * const modelProvider = createAiSdkProvider(anthropic("claude-sonnet-4-5"));
 */
// biome-ignore lint/suspicious/noExplicitAny: works with agents of every context
export function createAiSdkProvider<Ctx = any>(
  model: AiSdkModel | AiSdkModelFactory,
  options: AiSdkProviderOptions = {},
): ModelProvider<Ctx> {
  const own = parseOptions(providerOptionsSchema, options, "options of the AI SDK provider");
  const given = typeof model === "function" ? undefined : knownModel(model);
  const modelFor = async (name: string | undefined): Promise<KnownModel> => {
    if (typeof model !== "function") return given ?? knownModel(model);
    if (name === undefined) {
      throw new TypeError(
        "No model is named: set modelConfig.name of the agent, modelOverride of the run or the option model.",
      );
    }
    return knownModel(await model(name));
  };

  const prepare = async (...asked: Parameters<ModelProvider<Ctx>["getCompletion"]>) => {
    const [, agent, config] = asked;
    const known = await modelFor(config.modelOverride ?? agent.modelConfig?.name ?? own.model);
    return { known, call: await callRequest(known, asked, own) };
  };

  return {
    getCompletion: async (...request) => {
      const { known, call } = await prepare(...request);
      try {
        return completionOf(await known.model.doGenerate(call), known);
      } catch (thrown) {
        throw callErrorOf(thrown, known.model.provider);
      }
    },
    getCompletionStream: async function* (...request) {
      const { known, call } = await prepare(...request);
      const toError = (thrown: unknown) => callErrorOf(thrown, known.model.provider);
      yield* chunksOf(() => known.model.doStream(call), known, toError);
    },
  };
}
