import type { StoredConversation } from "@jaf/memory";
import type { RedisPort } from "./client/port.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Indexes } from "./indexes.ts";
import type { Keys } from "./keys.ts";
import { type Head, list, number, pairs, parseHead, text } from "./replies.ts";
import type { RunScript } from "./scripts/runner.ts";

/** Redis was made to throw keys away when its memory is full, and it threw away a part of this conversation. */
export class DamagedConversation extends Error {
  override readonly name = "DamagedConversation";
}

/** It was trimmed or replaced again and again while it was being read. */
export class UnsteadyConversation extends Error {
  override readonly name = "UnsteadyConversation";
}

/** Messages that one call fetches, so that none holds the server for long. */
const PART = 2_000;

const ATTEMPTS = 8;

interface Part {
  readonly head: Head;
  readonly bodies: readonly string[];
}

/** Positions as `LRANGE` takes them. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** A space before it says that it is a tool result. */
function toBody(item: unknown): string {
  const body = text(item);
  return body.startsWith(" ") ? body.slice(1) : body;
}

/** Equal as long as messages were only appended: positions mean what they meant. */
const incarnation = ({ createdAt, version, totalMessages }: Head): string =>
  `${createdAt.getTime()}/${version - totalMessages}`;

export interface ConversationReaderOptions {
  readonly port: RedisPort;
  readonly run: RunScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  /** Whether the indexes are on the same server as the conversation. */
  readonly atomic: boolean;
  readonly deadlines: Deadlines;
  /** Whether a read starts the ttl of the conversation anew. */
  readonly touches: boolean;
}

/** Reads conversations, long ones in parts. */
export function createConversationReader(options: ConversationReaderOptions) {
  const { port, run, keys, indexes, atomic, deadlines, touches } = options;

  async function readPart(conversationId: string, { first, last }: Span): Promise<Part | null> {
    const { conversation, messages } = keys.of(conversationId);
    const commands = [
      ["HGETALL", conversation],
      ["LRANGE", messages, String(first), String(last)],
    ];
    const [hash, items] = await deadlines(port.sendAsOne(commands, conversation));
    if (pairs(hash).length === 0) return null;
    return { head: parseHead(conversationId, hash), bodies: list(items).map(toBody) };
  }

  async function touch(conversationId: string): Promise<void> {
    const send = (kept: boolean): Promise<unknown> => {
      const args = [atomic ? "atomic" : "", keys.prefix, kept ? 1 : 0];
      return run("touch", { keys: keys.ofScript(conversationId, port.isCluster), args });
    };
    const reply = await send(false);
    if (!Array.isArray(reply)) return;
    const [ttlMs, owner, ...traceIds] = reply;
    const listed = {
      conversationId,
      recent: false,
      userId: text(owner) || undefined,
      traceIds: traceIds.map(text),
    };
    await indexes.keep(listed, number(ttlMs));
    await send(true);
  }

  /** The rest of a conversation that was longer than a part. `undefined`: it isn't what it was. */
  async function readRest(
    conversationId: string,
    head: Head,
    from: number,
  ): Promise<readonly string[] | undefined> {
    const spans: Span[] = [];
    for (let first = from; first < head.totalMessages; first += PART) {
      spans.push({ first, last: Math.min(first + PART, head.totalMessages) - 1 });
    }
    const parts = await Promise.all(spans.map((span) => readPart(conversationId, span)));
    const of = incarnation(head);
    const bodies: string[] = [];
    for (const part of parts) {
      if (part === null || incarnation(part.head) !== of) return undefined;
      for (const body of part.bodies) bodies.push(body);
    }
    return bodies;
  }

  async function attempt(conversationId: string, wanted: number): Promise<Part | null | undefined> {
    const inOne = wanted <= PART;
    const opening = await readPart(
      conversationId,
      inOne ? { first: -wanted, last: -1 } : { first: 0, last: PART - 1 },
    );
    if (opening === null) return null;
    const { head } = opening;
    if (opening.bodies.length !== Math.min(head.totalMessages, inOne ? wanted : PART)) {
      throw new DamagedConversation("a part of the conversation is gone");
    }
    if (inOne || head.totalMessages <= PART) return opening;
    const begin = Math.max(0, head.totalMessages - wanted);
    const rest = await readRest(conversationId, head, Math.max(PART, begin));
    return rest && { head, bodies: [...opening.bodies.slice(begin), ...rest] };
  }

  async function readSteady(conversationId: string, wanted: number): Promise<Part | null> {
    for (let round = 0; round < ATTEMPTS; round++) {
      const part = await attempt(conversationId, wanted);
      if (part !== undefined) return part;
    }
    throw new UnsteadyConversation("the conversation changed faster than it could be read");
  }

  /** The conversation as it was at one moment, with its last `last` messages; absent: all. */
  async function peek(conversationId: string, last?: number): Promise<StoredConversation | null> {
    const part = await readSteady(conversationId, last ?? Number.MAX_SAFE_INTEGER);
    return part && { ...part.head, messages: part.bodies };
  }

  return {
    peek,
    /** The same, and starts its ttl anew. */
    read: async (conversationId: string, last?: number): Promise<StoredConversation | null> => {
      const peeking = peek(conversationId, last);
      if (!touches) return peeking;
      const [conversation] = await Promise.all([peeking, touch(conversationId)]);
      return conversation;
    },
  };
}
