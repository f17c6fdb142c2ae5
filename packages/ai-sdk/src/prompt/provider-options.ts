import * as z from "zod";
import { isFields } from "../fields.ts";
import type { ProviderOptions } from "./prompt-types.ts";

const optionsSchema = z.record(z.string(), z.record(z.string(), z.json()));

/**
 * What a provider put beside a message, a part or a call, as it gets it back. Anything that isn't an object of JSON by a
 * provider's name is left out, and so is what JAF itself keeps there.
 */
export function providerOptionsOf(metadata: unknown): { readonly providerOptions?: ProviderOptions } {
  if (!isFields(metadata)) return {};
  const options: ProviderOptions = {};
  for (const [name, value] of Object.entries(metadata)) {
    if (name === "jaf" || !isFields(value)) continue;
    const parsed = optionsSchema.safeParse({ [name]: value });
    // The very value: a copy might order its keys otherwise.
    if (parsed.success) options[name] = value as ProviderOptions[string];
  }
  return Object.keys(options).length === 0 ? {} : { providerOptions: options };
}
