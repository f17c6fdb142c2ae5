import type { ModelProvider } from "@jaf/core";

/**
 * A model provider under the name that stands before the `/` in the names of its models. `AnthropicProvider` is one; of any
 * other, `{ name: "mine", ...modelProvider }` is one, as long as its functions are its own.
 */
// biome-ignore lint/suspicious/noExplicitAny: a provider of the process looks at no context, and works with every one
export interface AiProvider extends ModelProvider<any> {
  readonly name: string;
}
