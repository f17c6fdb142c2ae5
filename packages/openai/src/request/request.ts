import type { ModelProvider } from "@jaf/core";
import type { ModelOrigin } from "@jaf/memory";
import { type Fields, listOf, optionsFor, type ToolNames } from "@jaf/model-http";

/** The arguments of a model call. */
// biome-ignore lint/suspicious/noExplicitAny: it works with any context
export type Asked = Parameters<ModelProvider<any>["getCompletion"]>;

export type AnyAgent = Asked[1];

/** A request, and the data needed to read its reply. */
export interface OpenAIRequest {
  readonly body: Fields;
  readonly origin: ModelOrigin;
  readonly names: ToolNames;
  /** The agent's names of tools with text input that are sent as functions with one text parameter. */
  readonly textFunctions: ReadonlySet<string>;
  /** The names of configured functions that no tool of the agent executes (Chat Completions). */
  readonly unsupplied?: ReadonlySet<string>;
}

interface Given {
  /** The `body` of the options. */
  readonly body: Fields | undefined;
  /** The provider's name in `providerOptions`. */
  readonly provider: string;
  /** Body fields that only the adapter sets: they would change the reply's form or the conversation. */
  readonly ownFields: ReadonlySet<string>;
}

/** The fields and tools that the options and the agent's `providerOptions` add to the body. */
export function furtherFields(
  { modelConfig }: AnyAgent,
  { body: byOptions, provider, ownFields }: Given,
): { readonly body: Fields; readonly tools: readonly unknown[] } {
  const given: Fields = Object.assign({}, byOptions, ...optionsFor(modelConfig, "openai", provider));
  const body = Object.entries(given).filter(([field]) => !ownFields.has(field));
  return { body: Object.fromEntries(body), tools: listOf(given["tools"]) };
}
