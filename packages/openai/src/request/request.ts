import type { ModelProvider } from "@jaf/core";
import type { ModelOrigin } from "@jaf/memory";
import { type Fields, listOf, optionsFor, type ToolNames } from "@jaf/model-http";

/** What a model is asked by. */
// biome-ignore lint/suspicious/noExplicitAny: it looks at no context, and works with every one
export type Asked = Parameters<ModelProvider<any>["getCompletion"]>;

export type AnyAgent = Asked[1];

/** A request, and what is needed to understand its reply. */
export interface OpenAIRequest {
  readonly body: Fields;
  readonly origin: ModelOrigin;
  readonly names: ToolNames;
  /** Names, as the agent has them, of tools that take text and go out as functions of one text. */
  readonly textFunctions: ReadonlySet<string>;
}

interface Given {
  /** The options' own. */
  readonly body: Fields | undefined;
  /** As `providerOptions` names it. */
  readonly provider: string;
  /** Of the body, the adapter's own: what would make a reply that isn't understood, or another conversation. */
  readonly ownFields: ReadonlySet<string>;
}

/** What the options and the agent's `providerOptions` add to the body, and to its tools. */
export function furtherFields(
  { modelConfig }: AnyAgent,
  { body: byOptions, provider, ownFields }: Given,
): { readonly body: Fields; readonly tools: readonly unknown[] } {
  const given: Fields = Object.assign({}, byOptions, ...optionsFor(modelConfig, "openai", provider));
  const body = Object.entries(given).filter(([field]) => !ownFields.has(field));
  return { body: Object.fromEntries(body), tools: listOf(given["tools"]) };
}
