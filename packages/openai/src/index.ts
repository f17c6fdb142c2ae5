export type { Dialect, OutputFormat } from "./dialect.ts";
export { OpenAIError, type OpenAIErrorReason } from "./errors.ts";
export type {
  OpenAIEndpointOptions,
  OpenAIProviderOptions,
  OpenAIResponsesProviderOptions,
} from "./options.ts";
export type { OpenAIProvider } from "./provider.ts";
export { createOpenAIProvider, createOpenAIResponsesProvider } from "./provider.ts";
