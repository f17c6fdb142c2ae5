import type { ModelProvider } from "@jaf/core";

// biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
export type OpenAIProvider = Required<ModelProvider<any>>;
