import type { CacheableConfig } from "@jaf/core";
import type { ModelOrigin } from "@jaf/memory";
import type { PromptMessage, ProviderOptions } from "./prompt.ts";

/**
 * What tells a provider to keep the prompt up to this place: Anthropic, also on Vertex, and Bedrock have to be told. Others
 * keep the beginning of prompts by themselves, or can't be told.
 */
export function cacheControlFor(
  { provider }: ModelOrigin,
  { ttl }: CacheableConfig,
): ProviderOptions | undefined {
  if (provider.includes("anthropic")) {
    // It knows no other times; the default of JAF is an hour.
    return { anthropic: { cacheControl: { type: "ephemeral", ttl: isShort(ttl) ? "5m" : "1h" } } };
  }
  return provider.includes("bedrock") ? { bedrock: { cachePoint: { type: "default" } } } : undefined;
}

function isShort(ttl = "1h"): boolean {
  const seconds = ttl.endsWith("s") ? Number(ttl.slice(0, -1)) : Number.POSITIVE_INFINITY;
  const minutes = ttl.endsWith("m") ? Number(ttl.slice(0, -1)) : seconds / 60;
  return minutes <= 5;
}

/** Keeps the prompt up to the end of this message. The application's own settings for it stay. */
export function addCacheControl(
  message: PromptMessage | undefined,
  cacheControl: ProviderOptions | undefined,
): void {
  if (message === undefined || cacheControl === undefined) return;
  message.providerOptions = { ...cacheControl, ...message.providerOptions };
}
