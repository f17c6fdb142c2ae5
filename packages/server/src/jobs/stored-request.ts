import type { PromptInput } from "@jaf/core";
import type { Message, RichMessage } from "@jaf/memory";
import { base64Of, bytesIn } from "@jaf/memory/internal";
import * as z from "zod";
import type { TurnRequest } from "../turns/turn-service.ts";

/** A turn's request as the log stores it, from which another process can continue the turn. */
export interface StoredRequest extends Omit<TurnRequest, "target" | "turnId" | "priority"> {
  /** Where the turn began in its conversation. */
  readonly base: ConversationBase;
  /** Number of messages that an edit removes from the end of the conversation. Absent: the turn isn't an edit. */
  readonly dropLast?: number;
}

/** Where a turn begins in its conversation, and which version and incarnation the conversation had before the turn. */
export interface ConversationBase {
  /** Position of the turn's first message. */
  readonly position: number;
  readonly version: number;
  readonly incarnation: string;
}

/**
 * The format of a turn's request and events in the log: the field `format` of the request. Without it, the format is 1.
 */
const FORMAT = 1;

const formatSchema = z.looseObject({ format: z.number().default(1) });

const schema = z.looseObject({
  identity: z.looseObject({ userId: z.string() }),
  agentName: z.string(),
  input: z.union([z.string(), z.array(z.unknown())]),
  base: z.object({ position: z.int().min(0), version: z.int().min(0), incarnation: z.string() }),
});

/** Keys of the objects that encode values in a stored request, e.g. `{ "$date": 0 }` for a date. */
const TAGS = { bytes: "$bytes", date: "$date", url: "$url", object: "$object" } as const;
const ALL_TAGS: readonly string[] = Object.values(TAGS);

export const encodeRequest = (request: StoredRequest): string =>
  // A tagged copy takes several times as long as this check, and a request can have thousands of parts.
  JSON.stringify(isPlain(request) ? request : tagged(request));

/** Checks whether a value can be written as JSON without one of the `TAGS`. */
function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  if (value instanceof Uint8Array || value instanceof Date || value instanceof URL) return false;
  for (const key in value) {
    if (ALL_TAGS.includes(key) || !isPlain((value as Readonly<Record<string, unknown>>)[key])) return false;
  }
  return true;
}

function tagged(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [TAGS.bytes]: base64Of(value) };
  if (value instanceof Date) return { [TAGS.date]: value.getTime() };
  if (value instanceof URL) return { [TAGS.url]: value.href };
  if (Array.isArray(value)) return value.map(tagged);
  if (!isObject(value)) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, tagged(field)]));
  // Client data that looks like a tagged value is wrapped.
  return tagOf(fields) === undefined ? fields : { [TAGS.object]: fields };
}

/**
 * Decodes the text of a stored request. Returns `"newer"` if a newer release wrote it in a format that this release
 * can't read, and `undefined` if the text is invalid.
 */
export function decodeRequest(text: string): StoredRequest | "newer" | undefined {
  try {
    const json: unknown = JSON.parse(text);
    if ((formatSchema.safeParse(json).data?.format ?? 1) > FORMAT) return "newer";
    // Must restore the input exactly, because the run's idempotency key depends on the input.
    const parsed = untagged(json);
    return schema.safeParse(parsed).success ? (parsed as StoredRequest) : undefined;
  } catch {
    return undefined;
  }
}

function untagged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untagged);
  if (!isObject(value)) return value;
  const tag = tagOf(value);
  const content = tag === undefined ? undefined : value[tag];
  if (tag === TAGS.object && isObject(content) && tagOf(content) !== undefined) return fieldsOf(content);
  return untaggedScalar(tag, content) ?? fieldsOf(value);
}

const fieldsOf = (value: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(Object.entries(value).map(([key, field]) => [key, untagged(field)]));

/** Decodes bytes, a date or a URL. Returns `undefined` for any other tag, and for content that doesn't fit the tag. */
function untaggedScalar(tag: string | undefined, content: unknown): unknown {
  if (tag === TAGS.bytes && typeof content === "string") {
    try {
      return bytesIn(content);
    } catch {
      return undefined;
    }
  }
  if (tag === TAGS.date && typeof content === "number") {
    const date = new Date(content);
    return Number.isNaN(date.getTime()) ? undefined : date;
  }
  return tag === TAGS.url && typeof content === "string" && URL.canParse(content)
    ? new URL(content)
    : undefined;
}

/** Returns an object's only key if it is one of the `TAGS` (e.g. `$date`), and otherwise `undefined`. */
function tagOf(value: object): string | undefined {
  // Undefined fields don't count, since JSON leaves them out.
  const [first, ...more] = Object.entries(value).filter(([, field]) => field !== undefined);
  return first !== undefined && more.length === 0 && ALL_TAGS.includes(first[0]) ? first[0] : undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Converts the input of a prompt into messages of the user. Returns `undefined` if the input isn't valid. */
export function userMessagesOf(input: PromptInput): readonly Message[] | undefined {
  if (typeof input === "string") return input === "" ? undefined : [userMessage(input)];
  if (!Array.isArray(input)) return undefined;
  const items: readonly unknown[] = input;
  if (items.length > 0 && items.every(isPart)) return [userMessage(items)];
  return items.every(isUserMessage) ? items : undefined;
}

function userMessage(content: unknown): Message {
  // The type `Message` allows text only. Parts are read as `RichMessage`.
  const message: Pick<RichMessage, "role"> & { readonly content: unknown } = { role: "user", content };
  return message as Message;
}

const isPart = (item: unknown): boolean =>
  typeof item === "object" && item !== null && "type" in item && !("role" in item);

const isUserMessage = (item: unknown): item is Message =>
  typeof item === "object" && item !== null && "role" in item && item.role === "user" && "content" in item;
