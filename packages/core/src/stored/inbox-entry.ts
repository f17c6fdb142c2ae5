import type { InboxEntry, Message, RichMessage } from "@jaf/memory";
import { base64Of, wrapInTag } from "@jaf/memory/internal";
import * as z from "zod";
import { userPartsSchema } from "../content-parts.ts";
import { storableMessage } from "../immutable/messages.ts";

const FORMAT = 1;

/**
 * Who sends a message to a conversation:
 *
 * - `"user"`: the user.
 * - `"work"`: work that runs in the background.
 * - `"timer"`: a timer of the conversation.
 *
 * Messages of `"work"` and `"timer"` are texts. The model gets them as user messages in which the text is wrapped in a
 * tag, and they don't count as the user's words.
 */
type MessageSender = "user" | "work" | "timer";

const format = z.literal(FORMAT);

const contentSchema = z.union([
  z.object({
    format,
    from: z.literal("user").default("user"),
    content: z.union([z.string(), userPartsSchema]),
  }),
  z.object({ format, from: z.enum(["work", "timer"]), content: z.string() }),
]);

const KNOWN: readonly string[] = ["user", "work", "timer"] satisfies readonly MessageSender[];

const newerSchema = z.union([
  z.object({ format: z.int().min(FORMAT + 1) }),
  z.object({ format, from: z.string().refine((from) => !KNOWN.includes(from)) }),
]);

/** What an inbox's entry says, and who sends it. Default: the user. */
interface EntryMessage extends Pick<RichMessage, "content"> {
  readonly from?: MessageSender;
}

/**
 * Returns a message as the content of an inbox's entry: JSON, with bytes in base64. `beside`: fields that the engine
 * ignores.
 */
export const toEntryContent = ({ content, from }: EntryMessage, beside?: object): string =>
  JSON.stringify({ format: FORMAT, content, from, ...beside }, (_, value: unknown) =>
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
  const message =
    data.from === "user"
      ? { role: "user", content: data.content }
      : { role: "user", content: wrapped(data), from: data.from };
  const stored = storableMessage(message);
  return stored.ok ? { kind: "message", message: stored.message } : INVALID;
}

const PREFACES = {
  work: "Work in the background sent this message. The user didn't write it.",
  timer: "A timer that was set in this conversation sent this message. The user didn't write it now.",
} as const;

// Without the tag, the model would take the text for what the user says now.
const wrapped = ({ from, content }: { readonly from: keyof typeof PREFACES; readonly content: string }) =>
  wrapInTag(from, `${PREFACES[from]}\n\n${content}`);

const INVALID: ParsedEntry = { kind: "invalid", reason: "the entry isn't a user message" };

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
