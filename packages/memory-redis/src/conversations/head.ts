import { type JsonObject, type JsonValue, present, type StoredConversation } from "@jaf/memory/adapter";
import { type Keys, unescapeId } from "../keys.ts";
import { list, number, text } from "../lua.ts";
import type { RunConversationScript } from "./scripts/index.ts";

const METADATA = "metadata:";

/** Converts the name of a metadata field into a part of a Redis field's name: JSON without the quotation marks. */
// JSON escapes unpaired surrogates, which UTF-8 can't represent.
export const encodeField = (name: string): string => JSON.stringify(name).slice(1, -1);

const decodeField = (name: string): string => (name.includes("\\") ? JSON.parse(`"${name}"`) : name);

/** A conversation without its messages. */
export interface Head extends Omit<StoredConversation, "messages"> {
  /**
   * A text that stays the same as long as each message keeps its list index. It changes if messages are trimmed,
   * dropped or replaced.
   */
  readonly generation: string;
  /** The ttl in seconds that a write has set with `ttlSeconds`. Absent: no write has set a ttl. */
  readonly ownTtl?: number;
  /** The incarnation of the parent when it got this child. Absent: the conversation isn't a child. */
  readonly parentIncarnation?: string;
  /** The number of fields in the Redis hash of the messages' own ids. A message's own id is given by its writer. */
  readonly idFields: number;
}

export const generationOf = (incarnation: string, rewritten: string): string => `${incarnation}/${rewritten}`;

/** Converts a reply with the fields and values of a Redis hash into pairs. */
function pairs(reply: unknown): readonly (readonly [string, string])[] {
  // The form of the reply depends on the client and the protocol version.
  if (Array.isArray(reply)) {
    return Array.from({ length: reply.length / 2 }, (_, at) => [
      text(reply[2 * at]),
      text(reply[2 * at + 1]),
    ]);
  }
  const entries = reply instanceof Map ? [...reply] : Object.entries(reply ?? {});
  return entries.map(([field, value]) => [text(field), text(value)]);
}

/**
 * Converts a reply with the fields of a conversation's Redis hash into a `Head`. Returns `undefined` if the
 * conversation doesn't exist.
 */
export function parseHead(conversationId: string, hash: unknown): Head | undefined {
  const fields = new Map<string, string>();
  const metadata: [string, JsonValue][] = [];
  for (const [field, value] of pairs(hash)) {
    if (field.startsWith(METADATA))
      metadata.push([decodeField(field.slice(METADATA.length)), JSON.parse(value)]);
    else fields.set(field, value);
  }
  if (fields.size === 0) return undefined;
  const userId = fields.get("userId") || undefined;
  const incarnation = fields.get("incarnation") ?? "";
  const childOf = unescapeId(fields.get("childOf") ?? "") || undefined;
  const ownTtl = fields.get("ownTtl");
  const count = (field: string): number => Number(fields.get(field) ?? 0);
  const totalMessages = count("totalMessages");
  const historyDigest = fields.get("digest") || (totalMessages === 0 && (fields.get("base") ?? incarnation));
  return {
    conversationId,
    ...present({ userId, childOf, parentIncarnation: fields.get("parentIncarnation") }),
    metadata: Object.fromEntries(metadata) as JsonObject,
    createdAt: new Date(count("createdAt")),
    lastActivity: new Date(count("lastActivity")),
    totalMessages,
    version: count("version"),
    metadataVersion: count("metadataVersion"),
    nextPosition: count("firstPosition") + totalMessages,
    incarnation,
    ...(historyDigest ? { historyDigest } : {}),
    generation: generationOf(incarnation, fields.get("rewritten") ?? ""),
    ...(ownTtl === undefined ? {} : { ownTtl: Number(ownTtl) }),
    idFields: count("ids"),
  };
}

/** How many conversations one call reads, so no call blocks the server for long. */
// `all` is smaller, because metadata may be large.
const AT_ONCE = { counts: 50, all: 20 };

export interface FoundHead {
  readonly id: string;
  /** `undefined` if the conversation doesn't exist, or if the trace `HeadSelection.traceId` hasn't written to it. */
  readonly head: Head | undefined;
  /** The server's time when the conversation was read, in milliseconds since 1970. */
  readonly seenAtMs: number;
}

export interface HeadSelection {
  readonly traceId?: string | undefined;
  /** If true, only the owner, the parent, the creation time and the number of messages are read. */
  readonly counts?: boolean;
}

/**
 * Returns a function that reads many conversations without their messages. `atomic`: whether all keys are on one
 * server.
 */
export function createHeadReader(run: RunConversationScript, keys: Keys, atomic: boolean) {
  async function readSome(ids: readonly string[], select: HeadSelection): Promise<readonly FoundHead[]> {
    const all = ids.map(keys.of).flatMap(({ conversation, traces }) => [conversation, traces]);
    const [first, ...rest] = all;
    if (first === undefined) return [];
    const args = [select.traceId ?? "", select.counts === true ? 1 : ""];
    const [time, ...found] = list(await run("heads", { keys: [first, ...rest], args }));
    const seenAtMs = number(time);
    return ids.map((id, at) => {
      const flat = found[at];
      return { id, head: flat == null ? undefined : parseHead(id, flat), seenAtMs };
    });
  }

  return async (ids: readonly string[], select: HeadSelection = {}): Promise<readonly FoundHead[]> => {
    const size = atomic ? AT_ONCE[select.counts === true ? "counts" : "all"] : 1;
    const parts: Promise<readonly FoundHead[]>[] = [];
    for (let from = 0; from < ids.length; from += size) {
      parts.push(readSome(ids.slice(from, from + size), select));
    }
    return (await Promise.all(parts)).flat();
  };
}

export type ReadHeads = ReturnType<typeof createHeadReader>;
