import type { CacheableConfig } from "@jaf/core";
import type { ModelOrigin } from "@jaf/memory";
import type { PromptMessage, ProviderOptions } from "./prompt.ts";

/**
 * Provider options that cache the prompt up to this place, for Anthropic (also on Vertex) and Bedrock. Other providers cache
 * automatically or have no such option.
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

/** Caches the prompt up to the end of this message. The application's own options override it. */
export function addCacheControl(
  message: PromptMessage | undefined,
  cacheControl: ProviderOptions | undefined,
): void {
  if (message === undefined || cacheControl === undefined) return;
  message.providerOptions = { ...cacheControl, ...message.providerOptions };
}
