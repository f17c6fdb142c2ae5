export { AnthropicError, type AnthropicErrorReason } from "./errors.ts";
export type { MemoryCommand } from "./memory-tool/commands.ts";
export { createMemoryTool, type MemoryToolOptions } from "./memory-tool/memory-tool.ts";
export type { AnthropicProviderOptions, OutputFormat } from "./options.ts";
export { type AnthropicProvider, createAnthropicProvider } from "./provider.ts";
