import type { PromptInput } from "@jaf/core";
import type { Message, RichMessage } from "@jaf/memory";
import { base64Of, bytesIn } from "@jaf/memory/internal";
import * as z from "zod";
import type { TurnRequest } from "../turns/turn-service.ts";

/** The request of a turn, with all that another process needs to continue it. */
export interface StoredRequest extends Omit<TurnRequest, "target" | "turnId"> {
  /** The conversation's state when the turn began. */
  readonly base: ConversationBase;
  /** Number of messages that an edit drops. */
  readonly dropLast?: number;
}

/** A conversation's state before a turn. For an edit, `position` is that of the edited message. */
export interface ConversationBase {
  /** The position of the turn's first message. */
  readonly position: number;
  readonly version: number;
  readonly incarnation: string;
}

const schema = z.looseObject({
  identity: z.looseObject({ userId: z.string() }),
  agentName: z.string(),
  input: z.union([z.string(), z.array(z.unknown())]),
  base: z.object({ position: z.int().min(0), version: z.int().min(0), incarnation: z.string() }),
});

/** Tags for values that JSON doesn't support. Decoding must return the same input, since the run's key is made from it. */
const TAGS = { bytes: "$bytes", date: "$date", url: "$url", object: "$object" } as const;
const ALL_TAGS: readonly string[] = Object.values(TAGS);

export const encodeRequest = (request: StoredRequest): string =>
  JSON.stringify(isPlain(request) ? request : tagged(request));

/** Checks for values without tags. Copying them takes several times as long, and a request can have thousands of parts. */
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

/** Decodes a request. Returns `undefined` if it is invalid, e.g. from an incompatible version. */
export function decodeRequest(text: string): StoredRequest | undefined {
  try {
    const parsed = untagged(JSON.parse(text));
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

/** Decodes a tagged scalar. Returns `undefined` if the content doesn't fit the tag. */
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

/** Returns the tag if it is the only key. */
function tagOf(value: object): string | undefined {
  // Undefined fields don't count, since JSON leaves them out.
  const [first, ...more] = Object.entries(value).filter(([, field]) => field !== undefined);
  return first !== undefined && more.length === 0 && ALL_TAGS.includes(first[0]) ? first[0] : undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Converts input to messages of the user. Returns `undefined` if it isn't valid input. The store checks the content. */
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
