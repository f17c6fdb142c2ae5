export type { CacheAdapter, CacheLifetime } from "@jaf/memory";
export {
  type CacheablePrompt,
  GoogleCacheRegistry,
  type GoogleCacheRegistryOptions,
  type MadeResource,
} from "./cache-registry.ts";
export { GoogleError, type GoogleErrorReason } from "./errors.ts";
export type { GoogleProviderOptions, OutputFormat } from "./options.ts";
export { createGoogleProvider, type GoogleProvider } from "./provider.ts";
