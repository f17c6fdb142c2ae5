export { AnthropicError, type AnthropicErrorReason } from "./errors.ts";
export type { AnthropicProviderOptions, OutputFormat } from "./options.ts";
export { type AnthropicProvider, createAnthropicProvider } from "./provider.ts";
