import type { RunConfig } from "@jaf/core";
import { type Fields, sha256Hex } from "@jaf/model-http";

/** In characters. OpenAI accepts up to 64. */
const LENGTH = 32;

interface Prompt<Ctx> {
  readonly config: RunConfig<Ctx>;
  readonly agentName: string;
  readonly model: string;
  readonly instructions: string;
  /** The tools in the request's format. */
  readonly tools: readonly unknown[];
}

/**
 * Resolves with `prompt_cache_key` for the parts declared cacheable, or with no field without any. OpenAI caches prompts
 * automatically; the key routes prompts with the same beginning to the same machine. Undeclared parts may change between
 * calls, so the key leaves them out. The key is a hash and reveals nothing of the prompt.
 */
export async function promptCacheKey<Ctx>({
  config,
  agentName,
  model,
  instructions,
  tools,
}: Prompt<Ctx>): Promise<Fields> {
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
  const sum = await sha256Hex(JSON.stringify(prefix));
  return sum === undefined ? {} : { prompt_cache_key: sum.slice(0, LENGTH) };
}
