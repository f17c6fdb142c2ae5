import type { InboxEntry, Message, RichMessage } from "@jaf/memory";
import { base64Of } from "@jaf/memory/internal";
import * as z from "zod";
import { userPartsSchema } from "../content-parts.ts";
import { storableMessage } from "../immutable/messages.ts";

const FORMAT = 1;

const contentSchema = z.object({
  format: z.literal(FORMAT),
  content: z.union([z.string(), userPartsSchema]),
});

const newerSchema = z.object({ format: z.int().min(FORMAT + 1) });

/**
 * Returns a user message as the content of an inbox's entry: JSON, with bytes in base64. `beside`: fields that the engine
 * ignores.
 */
export const toEntryContent = ({ content }: Pick<RichMessage, "content">, beside?: object): string =>
  JSON.stringify({ format: FORMAT, content, ...beside }, (_, value: unknown) =>
    value instanceof Uint8Array ? base64Of(value) : value,
  );

/** What a run makes of an entry. */
type ParsedEntry =
  | { readonly kind: "message"; readonly message: Message }
  /** The entry can't be used. `reason` doesn't quote it. */
  | { readonly kind: "invalid"; readonly reason: string }
  /** A newer release wrote the entry, which it must take itself. */
  | { readonly kind: "newer" };

/** Parses the content of an entry. */
export function parseEntry({ content: text }: Pick<InboxEntry, "content">): ParsedEntry {
  const json = parsedJson(text);
  const { success, data } = contentSchema.safeParse(json);
  if (!success) return newerSchema.safeParse(json).success ? { kind: "newer" } : INVALID;
  const stored = storableMessage({ role: "user", content: data.content });
  return stored.ok ? { kind: "message", message: stored.message } : INVALID;
}

const INVALID: ParsedEntry = { kind: "invalid", reason: "the entry isn't a user message" };

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
