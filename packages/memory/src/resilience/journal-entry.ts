import * as z from "zod";
import { decodeJson, encodeJson } from "../codec/json.ts";
import { lazy } from "../lazy.ts";
import type { Message } from "../message.ts";
import type { WriteRequest } from "./write-request.ts";

/** A write that went to the fallback in place of the primary, as the journal stores it. */
export interface FallbackWrite {
  /** Names this entry; a write that is tried again under its key has several. */
  readonly entry: string;
  readonly key: string;
  readonly request: WriteRequest;
  /** The incarnation that the primary last gave, where that was asked. */
  readonly seen?: string;
  /** With `dropLast`: what stood at the end before. */
  readonly dropped?: readonly Message[];
}

/**
 * A write is begun, then done or refused by the fallback. That it is done tells all of it again: another process may have
 * emptied the journal in between.
 */
export type JournalEntry =
  | ({ readonly kind: "begun" | "done" } & FallbackWrite)
  | { readonly kind: "refused"; readonly entry: string };

const entrySchema = lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({
      kind: z.enum(["begun", "done"]),
      entry: z.string(),
      key: z.string(),
      operation: z.enum(["storeMessages", "appendMessages", "importConversation"]),
      conversationId: z.string(),
      messages: z.array(z.string()),
      fields: z.array(z.tuple([z.string(), z.string()])),
      options: z.string(),
      seen: z.string().exactOptional(),
      dropped: z.array(z.string()).exactOptional(),
    }),
    z.object({ kind: z.literal("refused"), entry: z.string() }),
  ]),
);

const encodeAll = (messages: readonly Message[]): readonly string[] => messages.map(encodeJson);
const decodeAll = (texts: readonly string[]): readonly Message[] => texts.map(decodeJson) as Message[];

/** Each by itself: a field may be as deep as a store takes. */
const encodeFields = (fields: object): readonly (readonly [string, string])[] =>
  Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, encodeJson(value)] as const],
  );

function encodeRequest(request: WriteRequest): object {
  if (request.operation === "importConversation") {
    const [{ conversationId, messages, metadata, ...rest }, options = {}] = request.args;
    const fields = [...encodeFields(rest), ["metadata", JSON.stringify(encodeFields(metadata))]];
    return { conversationId, messages: encodeAll(messages), fields, options: encodeJson(options) };
  }
  const [conversationId, messages, metadata = {}, options = {}] = request.args;
  const fields = encodeFields(metadata);
  return { conversationId, messages: encodeAll(messages), fields, options: encodeJson(options) };
}

/** As the message that a journal holds. Throws for what no store takes. */
export function encodeEntry(entry: JournalEntry): Message {
  if (entry.kind === "refused") return { role: "user", content: JSON.stringify(entry) };
  const { request, dropped, ...rest } = entry;
  const stored = {
    ...rest,
    operation: request.operation,
    ...encodeRequest(request),
    ...(dropped === undefined ? {} : { dropped: encodeAll(dropped) }),
  };
  return { role: "user", content: JSON.stringify(stored) };
}

type StoredWrite = Exclude<z.output<ReturnType<typeof entrySchema>>, { kind: "refused" }>;

const decodeFields = (fields: StoredWrite["fields"]): Record<string, unknown> =>
  Object.fromEntries(fields.map(([key, text]) => [key, decodeJson(text)]));

function decodeRequest({ operation, conversationId, ...stored }: StoredWrite): WriteRequest {
  const messages = decodeAll(stored.messages);
  const options = decodeJson(stored.options) as object;
  if (operation !== "importConversation") {
    return { operation, args: [conversationId, messages, decodeFields(stored.fields), options] };
  }
  const fields = stored.fields.filter(([key]) => key !== "metadata");
  const [, metadata = "[]"] = stored.fields.find(([key]) => key === "metadata") ?? [];
  const record = {
    ...decodeFields(fields),
    conversationId,
    messages,
    metadata: decodeFields(JSON.parse(metadata) as StoredWrite["fields"]),
  };
  return { operation, args: [record as never, options] };
}

/** `undefined` for what is none: something else wrote to the journal. */
export function decodeEntry({ content }: Message): JournalEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return undefined;
  }
  const parsed = entrySchema().safeParse(value);
  if (!parsed.success) return undefined;
  if (parsed.data.kind === "refused") return parsed.data;
  const { kind, entry, key, seen, dropped } = parsed.data;
  return {
    kind,
    entry,
    key,
    request: decodeRequest(parsed.data),
    ...(seen === undefined ? {} : { seen }),
    ...(dropped === undefined ? {} : { dropped: decodeAll(dropped) }),
  };
}
