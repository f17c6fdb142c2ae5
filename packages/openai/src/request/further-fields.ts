import { type Fields, listOf, optionsFor } from "@jaf/model-http";
import type { AnyAgent } from "../provider.ts";

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
