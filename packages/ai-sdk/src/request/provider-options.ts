import type { ProviderOptions } from "@jaf/core";
import { type Fields, fieldsOf, textField } from "@jaf/model-http";
import { errors } from "../errors.ts";
import type { KnownModel } from "../model.ts";

/** Merges provider options by provider name. A field of a later layer overrides that of an earlier one. */
export function mergedOptions(...layers: readonly (ProviderOptions | undefined)[]): Record<string, Fields> {
  const merged: Record<string, Fields> = {};
  for (const layer of layers) {
    for (const [name, fields] of Object.entries(layer ?? {})) merged[name] = { ...merged[name], ...fields };
  }
  return merged;
}

/** A tool of the model's provider, in the AI SDK's format. */
export interface ProviderTool {
  /** The provider's name and the tool's, e.g. `"anthropic.web_search_20250305"`. */
  readonly id: string;
  /** The name in calls. */
  readonly name: string;
  readonly args: Fields;
}

/**
 * Separates the tools of the model's provider from its other options. They are configured under any of the names in the
 * provider's, e.g. `vertex` or `anthropic` for `"vertex.anthropic.messages"`. Throws an `AiSdkCallError` for a tool without
 * an id.
 */
export function splitTools(
  providerOptions: Readonly<Record<string, Fields>>,
  { model }: KnownModel,
): { readonly provided: readonly ProviderTool[]; readonly options: Readonly<Record<string, Fields>> } {
  const names = model.provider.split(".");
  const provided: ProviderTool[] = [];
  const options: Record<string, Fields> = {};
  for (const [name, fields] of Object.entries(providerOptions)) {
    const { tools, ...rest } = fields;
    if (!names.includes(name) || !Array.isArray(tools)) options[name] = fields;
    else {
      provided.push(...tools.map((tool) => providerTool(tool, name)));
      options[name] = rest;
    }
  }
  return { provided, options };
}

const ID = /^[^.]+\.(.+?)(?:_\d{8})?$/;

function providerTool(tool: unknown, provider: string): ProviderTool {
  const fields = fieldsOf(tool);
  const id = textField(fields, "id") ?? "";
  const [, ownName] = ID.exec(id) ?? [];
  if (ownName === undefined) {
    throw errors.configuration(
      `providerOptions.${provider}.tools: expected ids of the AI SDK's tools, e.g. "anthropic.bash_20250124"`,
    );
  }
  return {
    id,
    name: textField(fields, "name") ?? ownName,
    args: fieldsOf(fields["args"]),
  };
}
