export type { Dialect, OutputFormat } from "./dialect.ts";
export { OpenAIError, type OpenAIErrorReason } from "./errors.ts";
export type {
  OpenAIEndpointOptions,
  OpenAIProviderOptions,
  OpenAIResponsesProviderOptions,
} from "./options.ts";
export { createOpenAIProvider, createOpenAIResponsesProvider, type OpenAIProvider } from "./provider.ts";
