export type { Dialect, OutputFormat } from "./dialect.ts";
export { OpenAIError, type OpenAIErrorReason } from "./error.ts";
export type { OpenAIProviderOptions } from "./options.ts";
export { createOpenAIProvider, type OpenAIProvider } from "./provider.ts";
