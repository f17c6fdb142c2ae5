import type { PromptInput } from "@jaf/core";
import type { Message, RichMessage } from "@jaf/memory";
import { base64Of, bytesIn } from "@jaf/memory/internal";
import * as z from "zod";
import type { TurnRequest } from "../turns/turn-service.ts";

/** All that another process needs to go on with a turn. */
export interface StoredRequest extends Omit<TurnRequest, "target" | "turnId"> {
  /** What the conversation was when the turn began. */
  readonly base: ConversationBase;
  /** Of an edit: how many messages it drops. */
  readonly dropLast?: number;
}

/** A conversation before a turn. Of an edit `position` is that of the edit. */
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

/** Values that JSON doesn't know are tagged, so that the same input comes back: the key of the run is made of it. */
const TAGS = { bytes: "$bytes", date: "$date", url: "$url", object: "$object" } as const;
const ALL_TAGS: readonly string[] = Object.values(TAGS);

export const encodeRequest = (request: StoredRequest): string => JSON.stringify(tagged(request));

function tagged(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [TAGS.bytes]: base64Of(value) };
  if (value instanceof Date) return { [TAGS.date]: value.getTime() };
  if (value instanceof URL) return { [TAGS.url]: value.href };
  if (Array.isArray(value)) return value.map(tagged);
  if (!isObject(value)) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, tagged(field)]));
  // A client's own data that look like a tagged value.
  return tagOf(fields) === undefined ? fields : { [TAGS.object]: fields };
}

/** `undefined` if it is no request, e.g. that of an incompatible version. */
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

/** `undefined`: it is no tagged value, whatever it looks like. */
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

/** The tag that is the only key. */
function tagOf(value: object): string | undefined {
  // What JSON leaves out doesn't count.
  const [first, ...more] = Object.entries(value).filter(([, field]) => field !== undefined);
  return first !== undefined && more.length === 0 && ALL_TAGS.includes(first[0]) ? first[0] : undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** The input of a turn as messages of the user. `undefined`: it is none. The store checks what they hold. */
export function userMessagesOf(input: PromptInput): readonly Message[] | undefined {
  if (typeof input === "string") return input === "" ? undefined : [userMessage(input)];
  if (!Array.isArray(input)) return undefined;
  const items: readonly unknown[] = input;
  if (items.length > 0 && items.every(isPart)) return [userMessage(items)];
  return items.every(isUserMessage) ? items : undefined;
}

function userMessage(content: unknown): Message {
  // The type of a message shows its text alone; parts are read through `RichMessage`.
  const message: Pick<RichMessage, "role"> & { readonly content: unknown } = { role: "user", content };
  return message as Message;
}

const isPart = (item: unknown): boolean =>
  typeof item === "object" && item !== null && "type" in item && !("role" in item);

const isUserMessage = (item: unknown): item is Message =>
  typeof item === "object" && item !== null && "role" in item && item.role === "user" && "content" in item;
