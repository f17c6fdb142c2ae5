import type { ProviderMetadata } from "@jaf/memory";
import type { Fields } from "@jaf/model-http";
import type { OpenAIRequest } from "./request/request.ts";
import { furtherUsage } from "./usage.ts";

/** Fields that only name the body or fill it up. */
const ENVELOPE = ["id", "object", "created", "created_at", "completed_at", "obfuscation"] as const;

/**
 * Returns the metadata of a message: the fields that the endpoint sent beside it, under their own names, with what the
 * usage holds besides the counts. `read`: the
 * fields that JAF reads or that repeat the request. The model's name is kept if it isn't the one that was asked for.
 */
export function replyMetadata(
  sent: Fields,
  read: readonly string[],
  { origin }: Pick<OpenAIRequest, "origin">,
): { readonly providerMetadata?: ProviderMetadata } {
  const left = new Set<string>([...ENVELOPE, ...read]);
  const further: Fields = { ...sent, usage: furtherUsage(sent["usage"]) };
  const kept = Object.entries(further).filter(
    ([field, value]) =>
      !left.has(field) &&
      value !== null &&
      value !== undefined &&
      (field !== "model" || (value !== "" && value !== origin.model)),
  );
  return kept.length === 0 ? {} : { providerMetadata: { openai: Object.fromEntries(kept) } };
}
