import type { ProviderMetadata } from "@jaf/memory";
import { type Fields, fieldsOf } from "@jaf/model-http";
import type { OpenAIRequest } from "./request/request.ts";

/** Fields that only name the body or fill it up. */
const ENVELOPE = ["id", "object", "created", "created_at", "completed_at", "obfuscation"] as const;

/**
 * Returns the metadata of a message: the fields that the endpoint sent beside it, under their own names. `read`: the
 * fields that JAF reads or that repeat the request. The model's name is kept if it isn't the one that was asked for, and
 * the usage if it says more than JAF reads.
 */
export function replyMetadata(
  sent: Fields,
  read: readonly string[],
  { origin }: Pick<OpenAIRequest, "origin">,
): { readonly providerMetadata?: ProviderMetadata } {
  const left = new Set<string>([...ENVELOPE, ...read]);
  const kept = Object.entries(sent).filter(
    ([field, value]) =>
      !left.has(field) &&
      value !== null &&
      value !== undefined &&
      (field !== "model" || (value !== "" && value !== origin.model)) &&
      (field !== "usage" || saysMore(fieldsOf(value))),
  );
  return kept.length === 0 ? {} : { providerMetadata: { openai: Object.fromEntries(kept) } };
}

/** The counts that JAF reads. */
const COUNTS = /^(prompt|completion|input|output|total|reasoning|.*cache.*)_tokens$/;

const saysMore = (usage: Fields): boolean =>
  Object.entries(usage).some(([name, value]) =>
    name.endsWith("_details") ? saysMore(fieldsOf(value)) : value && !COUNTS.test(name),
  );
