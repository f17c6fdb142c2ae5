import type { RunConfig } from "@jaf/core";
import { sha256 } from "@jaf/memory/internal";
import type { Fields } from "@jaf/model-http";

/** OpenAI takes up to 64 characters. */
const LENGTH = 32;

interface Prompt<Ctx> {
  readonly config: RunConfig<Ctx>;
  readonly agentName: string;
  readonly model: string;
  readonly instructions: string;
  /** As they are sent. */
  readonly tools: readonly unknown[];
}

/**
 * `prompt_cache_key` for what is declared cacheable, or no field where nothing is. OpenAI keeps prompts by itself; by the key
 * it sends those that begin alike to the same machine. What isn't declared may change from call to call, so it isn't part of
 * the key. It is a digest: nothing of the prompt can be read from it.
 */
export function promptCacheKey<Ctx>({ config, agentName, model, instructions, tools }: Prompt<Ctx>): Fields {
  const { cache, conversationId } = config;
  if (cache === undefined || cache === false) return {};
  const hasMessages = cache.messages === "all" || (cache.messages ?? 0) > 0;
  if (cache.instructions !== true && cache.tools !== true && !hasMessages) return {};
  const prefix = [
    model,
    agentName,
    cache.instructions === true ? instructions : null,
    cache.tools === true ? tools : null,
    hasMessages ? (conversationId ?? null) : null,
  ];
  const sum = sha256(JSON.stringify(prefix), "hex");
  return { prompt_cache_key: sum.slice(0, LENGTH) };
}
