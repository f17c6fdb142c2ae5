import type { StoredConversation } from "@jaf/memory";
import type { Indexes } from "./indexes.ts";
import type { ConversationKeys, Keys } from "./keys.ts";
import { type Head, list, number, parseHead, text } from "./replies.ts";
import type { RunScript, ScriptCall } from "./scripts/runner.ts";

/** Redis was made to throw keys away when its memory is full, and it threw away a part of this conversation. */
export class DamagedConversation extends Error {
  override readonly name = "DamagedConversation";
}

/** It was trimmed or replaced again and again while it was being read. */
export class UnsteadyConversation extends Error {
  override readonly name = "UnsteadyConversation";
}

/** Messages that one call fetches, and bytes after which it fetches no more. */
const PART = { messages: 1_000, bytes: 8 * 1024 * 1024 };

const ATTEMPTS = 8;

interface Part {
  readonly head: Head;
  readonly bodies: readonly string[];
}

interface Span {
  /** Negative: counted from the end. */
  readonly first: number;
  readonly count: number;
}

export const allKeys = ({
  conversation,
  messages,
  idempotency,
  traces,
}: ConversationKeys): ScriptCall["keys"] => [conversation, messages, idempotency, traces];

// The first character says whether it is a tool result.
const toBodies = (joined: string): readonly string[] =>
  joined === "" ? [] : joined.split("\n").map((line) => line.slice(1));

/** Equal as long as messages were only appended: positions mean what they meant. */
const incarnation = ({ createdAt, version, totalMessages }: Head): string =>
  `${createdAt.getTime()}/${version - totalMessages}`;

export interface ConversationReaderOptions {
  readonly run: RunScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly indexing: "atomic" | "ask";
}

/** Reads conversations, long ones in parts, so that no call holds the server for long. */
export function createConversationReader({ run, keys, indexes, indexing }: ConversationReaderOptions) {
  async function readPart(conversationId: string, { first, count }: Span): Promise<Part | null> {
    const args = [first, count, indexing, keys.prefix, PART.bytes];
    const reply = await run("read", { keys: allKeys(keys.of(conversationId)), args });
    if (reply === null) return null;
    if (!Array.isArray(reply)) throw new DamagedConversation("a part of the conversation is gone");
    const [fields, joined, , renew, ...traceIds] = list(reply);
    const head = parseHead(conversationId, fields);
    if (number(renew) === 1) {
      await indexes.settle(
        { conversationId, userId: head.userId, traceIds: traceIds.map(text) },
        { lastActivityMs: head.lastActivity.getTime(), keep: { ttlMs: head.ttlMs } },
      );
    }
    return { head, bodies: toBodies(text(joined)) };
  }

  /** All of a span, of which one call may bring only a part. `undefined`: it isn't what it was. */
  async function readSpan(
    conversationId: string,
    span: Span,
    of: string,
  ): Promise<readonly string[] | undefined> {
    const bodies: string[] = [];
    while (bodies.length < span.count) {
      const rest = { first: span.first + bodies.length, count: span.count - bodies.length };
      const part = await readPart(conversationId, rest);
      if (part === null || incarnation(part.head) !== of || part.bodies.length === 0) return undefined;
      for (const body of part.bodies) bodies.push(body);
    }
    return bodies;
  }

  async function attempt(conversationId: string, last: number | undefined) {
    const wanted = last ?? Number.MAX_SAFE_INTEGER;
    const first = last === undefined || last > PART.messages ? 0 : -last;
    const opening = await readPart(conversationId, { first, count: Math.min(wanted, PART.messages) });
    if (opening === null) return null;
    const { head } = opening;
    const begin = Math.max(0, head.totalMessages - wanted);
    const skipped = first < 0 ? 0 : begin;
    const bodies = opening.bodies.slice(skipped);
    const position = (first < 0 ? begin : 0) + opening.bodies.length;
    const spans: Span[] = [];
    for (let at = Math.max(position, begin); at < head.totalMessages; at += PART.messages) {
      spans.push({ first: at, count: Math.min(PART.messages, head.totalMessages - at) });
    }
    const of = incarnation(head);
    const parts = await Promise.all(spans.map((span) => readSpan(conversationId, span, of)));
    return { head, parts: [bodies, ...parts] };
  }

  /** The conversation as it was at one moment, with its last `last` messages; absent: all. */
  return async function read(conversationId: string, last?: number): Promise<StoredConversation | null> {
    for (let round = 0; round < ATTEMPTS; round++) {
      const found = await attempt(conversationId, last);
      if (found === null) return null;
      const parts = found.parts.filter((part) => part !== undefined);
      if (parts.length === found.parts.length) return { ...found.head, messages: parts.flat() };
    }
    throw new UnsteadyConversation("the conversation changed faster than it could be read");
  };
}

export type ReadConversation = ReturnType<typeof createConversationReader>;
