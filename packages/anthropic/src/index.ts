export { AnthropicError, type AnthropicErrorReason } from "./error.ts";
export type { AnthropicProviderOptions, OutputFormat } from "./options.ts";
export { type AnthropicProvider, createAnthropicProvider } from "./provider.ts";
