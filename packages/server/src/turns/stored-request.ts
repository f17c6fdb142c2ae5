import { base64Of, bytesIn } from "@jaf/memory/engine";
import * as z from "zod";
import type { TurnRequest } from "./turn-service.ts";

/** All that another process needs to go on with a turn. */
export interface StoredRequest extends Omit<TurnRequest, "target"> {
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
const TAGS = { bytes: "$bytes", date: "$date", url: "$url" } as const;

export const encodeRequest = (request: StoredRequest): string => JSON.stringify(tagged(request));

function tagged(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [TAGS.bytes]: base64Of(value) };
  if (value instanceof Date) return { [TAGS.date]: value.getTime() };
  if (value instanceof URL) return { [TAGS.url]: value.href };
  if (Array.isArray(value)) return value.map(tagged);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, tagged(field)]));
}

/** `undefined` if it is no request, e.g. that of an incompatible version. */
export function decodeRequest(text: string): StoredRequest | undefined {
  try {
    const parsed: unknown = JSON.parse(text, (_key, value: unknown) => untagged(value));
    return schema.safeParse(parsed).success ? (parsed as StoredRequest) : undefined;
  } catch {
    return undefined;
  }
}

function untagged(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value);
  const [first] = fields;
  if (first === undefined || fields.length > 1) return value;
  const [tag, content] = first;
  if (tag === TAGS.bytes && typeof content === "string") return bytesIn(content);
  if (tag === TAGS.date && typeof content === "number") return new Date(content);
  if (tag === TAGS.url && typeof content === "string") return new URL(content);
  return value;
}
