import type { CacheableConfig } from "@jaf/core";
import type { ModelOrigin } from "@jaf/memory";
import type { PromptMessage, ProviderOptions } from "./prompt.ts";

/**
 * Returns provider options that make the provider cache the prompt up to one place. Only Anthropic (also on Vertex) and
 * Bedrock need such options. Other providers cache automatically, or can't cache on request.
 */
export function cacheControlFor(
  { provider }: ModelOrigin,
  { ttl }: CacheableConfig,
): ProviderOptions | undefined {
  if (provider.includes("anthropic")) {
    // Anthropic has only these two; JAF's default is an hour.
    return { anthropic: { cacheControl: { type: "ephemeral", ttl: isShort(ttl) ? "5m" : "1h" } } };
  }
  return provider.includes("bedrock") ? { bedrock: { cachePoint: { type: "default" } } } : undefined;
}

function isShort(ttl = "1h"): boolean {
  const seconds = ttl.endsWith("s") ? Number(ttl.slice(0, -1)) : Number.POSITIVE_INFINITY;
  const minutes = ttl.endsWith("m") ? Number(ttl.slice(0, -1)) : seconds / 60;
  return minutes <= 5;
}

/**
 * Makes the provider cache the prompt up to the end of a message. The application's own options of the message override
 * this.
 */
export function addCacheControl(
  message: PromptMessage | undefined,
  cacheControl: ProviderOptions | undefined,
): void {
  if (message === undefined || cacheControl === undefined) return;
  message.providerOptions = { ...cacheControl, ...message.providerOptions };
}
