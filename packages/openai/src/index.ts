export type { OpenAIProviderOptions } from "./chat/options.ts";
export { createOpenAIProvider } from "./chat/provider.ts";
export type { Dialect, OutputFormat } from "./dialect.ts";
export { OpenAIError, type OpenAIErrorReason } from "./error.ts";
export type { OpenAIEndpointOptions } from "./options.ts";
export type { OpenAIProvider } from "./provider.ts";
export type { OpenAIResponsesProviderOptions } from "./responses/options.ts";
export { createOpenAIResponsesProvider } from "./responses/provider.ts";
