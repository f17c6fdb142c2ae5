import type { ResolvedAgent, RunConfig } from "@jaf/core";
import { type Fields, fieldsOf, listOf } from "@jaf/model-http";
import { errors } from "../error.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
export type AnyAgent<Ctx> = ResolvedAgent<Ctx, any>;

/** The name of the model that is asked. Throws an `OpenAIError` where none is named. */
export function modelName<Ctx>(
  { modelOverride }: RunConfig<Ctx>,
  { modelConfig }: AnyAgent<Ctx>,
  byDefault: string | undefined,
): string {
  const model = modelOverride ?? modelConfig?.name ?? byDefault;
  if (model !== undefined) return model;
  throw errors.configuration(
    "no model is named: set the provider's model, modelConfig.name or modelOverride",
  );
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
export function furtherFields<Ctx>(
  { modelConfig }: AnyAgent<Ctx>,
  { body: byOptions, provider, ownFields }: Given,
): { readonly body: Fields; readonly tools: readonly unknown[] } {
  const byProvider = fieldsOf(modelConfig?.providerOptions);
  const own = provider === "openai" ? {} : fieldsOf(byProvider[provider]);
  const given: Fields = { ...byOptions, ...fieldsOf(byProvider["openai"]), ...own };
  const body = Object.entries(given).filter(([field]) => !ownFields.has(field));
  return { body: Object.fromEntries(body), tools: listOf(given["tools"]) };
}
