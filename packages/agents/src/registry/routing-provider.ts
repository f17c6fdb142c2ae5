import type { ModelProvider, ModelStreamChunk } from "@jaf/core";
import { present } from "@jaf/memory/engine";
import type { AiProvider } from "./ai-provider.ts";
import { resolveModel } from "./registered.ts";

type Asked = Parameters<AiProvider["getCompletion"]>;

/**
 * Asks the registered provider of the model that the run names, or else of the default. The provider gets the model's name
 * without its own, as `modelOverride`.
 */
// biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
export const routingProvider: Required<ModelProvider<any>> = {
  getCompletion: async (...asked) => {
    const { provider, request } = route(asked);
    return provider.getCompletion(...request);
  },
  getCompletionStream: async function* (...asked) {
    const { provider, request } = route(asked);
    if (provider.getCompletionStream === undefined) yield await unstreamed(provider, request);
    else yield* provider.getCompletionStream(...request);
  },
};

function route([state, agent, config]: Asked): { readonly provider: AiProvider; readonly request: Asked } {
  const { provider, model } = resolveModel(config.modelOverride ?? agent.modelConfig?.name);
  return { provider, request: [state, agent, { ...config, modelOverride: model }] };
}

async function unstreamed(provider: AiProvider, request: Asked): Promise<ModelStreamChunk> {
  const { message, origin, usage, finish_reason } = await provider.getCompletion(...request);
  return { type: "done", message, ...present({ origin, usage, finishReason: finish_reason ?? undefined }) };
}
