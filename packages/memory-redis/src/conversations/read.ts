import {
  type HistoryReader,
  present,
  type ReadOutcome,
  type ReadRequest,
  type StoredConversation,
} from "@jaf/memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import { type Keys, unescapeId } from "../keys.ts";
import { list, number, text } from "../lua.ts";
import type { TombstoneStore } from "./erasure.ts";
import { createFirstRoundTrip, type FirstRoundTrip, PART } from "./first-round-trip.ts";
import { generationOf, type Head } from "./head.ts";
import type { Indexes } from "./indexes.ts";
import type { RunConversationScript } from "./scripts/index.ts";

/** The length of a message's digest, which is a SHA-1 in hex. */
const DIGEST_LENGTH = 40;

/**
 * Returns where a message's JSON text begins and ends in its list item. In a list item, a space before the text marks a
 * tool result, and a digest may follow the text.
 */
function boundsOf(item: string): readonly [from: number, end: number] {
  return [item.startsWith(" ") ? 1 : 0, item.endsWith("}") ? item.length : item.length - DIGEST_LENGTH];
}

const bodyOf = (reply: unknown): string => {
  const item = text(reply);
  return item.slice(...boundsOf(item));
};

function itemOf(reply: unknown): { readonly body: string; readonly digest: string | null } {
  const item = text(reply);
  const [from, end] = boundsOf(item);
  return { body: item.slice(from, end), digest: end === item.length ? null : item.slice(end) };
}

/** A part of the conversation is missing, because Redis has evicted it to free memory. */
export class DamagedConversation extends Error {
  override readonly name = "DamagedConversation";
}

/** Other writers changed the conversation during each attempt to read or write it. */
export class UnsteadyConversation extends Error {
  override readonly name = "UnsteadyConversation";
}

const ATTEMPTS = 8;

/** A range of indexes in a conversation's list of messages; `to` is exclusive. */
interface Span {
  readonly from: number;
  readonly to: number;
}

interface Selected {
  readonly bodies: readonly string[];
  readonly ownIds: readonly (string | null)[];
}

const toOwnId = (value: unknown): string | null => (value == null ? null : text(value));

function expectItems(items: readonly unknown[], count: number): string[] {
  if (items.length !== count) throw new DamagedConversation("a part of the conversation is gone");
  return items.map(bodyOf);
}

const firstPart = ({ from, to, items, ownIds }: FirstRoundTrip) => ({
  bodies: expectItems(items, Math.min(to - from, PART)),
  ownIds: ownIds.map(toOwnId),
});

/** Converts a `Head` and the conversation's messages into a `StoredConversation`. */
export function toStored(head: Head, messages: readonly string[]): StoredConversation {
  const { generation: _, ownTtl: __, idFields: ___, parentIncarnation: ____, ...stored } = head;
  return Object.assign(stored, { messages });
}

/**
 * Converts the stored value of an idempotency key into a receipt. The value is `<hash of the write> <number of the
 * write> <next position>`.
 */
const toReceipt = (value: string) => ({ nextPosition: Number(value.slice(value.lastIndexOf(" ") + 1)) });

function toOutcome(firstRead: FirstRoundTrip, { bodies, ownIds }: Selected, forExport: boolean): ReadOutcome {
  const { head, from, receipt, traceIds, readAt } = firstRead;
  const { nextPosition, totalMessages, ownTtl } = head;
  return {
    ...present({ readAt }),
    conversation: toStored(head, bodies),
    firstPosition: bodies.length === 0 ? nextPosition : nextPosition - totalMessages + from,
    ...(receipt === undefined ? {} : { receipt: toReceipt(receipt) }),
    ...(forExport
      ? {
          forExport: {
            traceIds,
            ...present({ ttlSeconds: ownTtl }),
            messageIds: bodies.map((_, at) => ownIds[at] ?? null),
          },
        }
      : {}),
  };
}

export interface ConversationReaderOptions {
  readonly port: RedisPort;
  readonly run: RunConversationScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly tombstones: TombstoneStore;
  /** Whether each conversation is on the same server as its indexes. */
  readonly atomic: boolean;
  readonly deadlines: Deadlines;
  /** Whether a read restarts the ttl of the conversation. */
  readonly touches: boolean;
}

/** Returns functions that read conversations. A long conversation is read in several parts. */
export function createConversationReader(options: ConversationReaderOptions) {
  const { port, run, keys, indexes, tombstones, atomic, deadlines, touches } = options;
  const readFirst = createFirstRoundTrip(options);

  async function touch({ conversationId, owner: asked = "" }: ReadRequest): Promise<void> {
    const send = (kept: boolean): Promise<unknown> => {
      const args = [atomic ? "atomic" : "", keys.prefix, kept ? 1 : 0, asked];
      return run("touch", { keys: keys.ofScript(conversationId, port.isCluster), args });
    };
    const reply = await send(false);
    if (!Array.isArray(reply)) return;
    const [ttlMs, owner, parent, ...traceIds] = reply;
    const childOf = unescapeId(text(parent)) || undefined;
    const indexed = {
      conversationId,
      recent: childOf !== undefined,
      childOf,
      userId: text(owner) || undefined,
      traceIds: traceIds.map(text),
    };
    await indexes.extend(indexed, number(ttlMs));
    await send(true);
  }

  /**
   * Reads the selected messages from the list index `from` to `to`. Resolves to `undefined` if the conversation was
   * trimmed or replaced since `head` was read.
   */
  async function readPart(head: Head, { from, to }: Span, forExport: boolean): Promise<Selected | undefined> {
    const { conversation, messages, ownIds } = keys.of(head.conversationId);
    const commands = [
      ["HMGET", conversation, "incarnation", "rewritten"],
      ["LRANGE", messages, String(from), String(to - 1)],
    ];
    if (forExport && head.idFields > 0) {
      const first = head.nextPosition - head.totalMessages;
      commands.push([
        "HMGET",
        ownIds,
        ...Array.from({ length: to - from }, (_, at) => `p${first + from + at}`),
      ]);
    }
    const [identity, items, own = []] = await deadlines(port.sendTransaction(commands, conversation));
    const [incarnation, rewritten] = list(identity).map((value) => toOwnId(value) ?? "");
    if (generationOf(incarnation ?? "", rewritten ?? "") !== head.generation) return undefined;
    return { bodies: expectItems(list(items), to - from), ownIds: list(own).map(toOwnId) };
  }

  /**
   * Returns all selected messages, the first of them from `firstRead`. Resolves to `undefined` if the conversation was
   * trimmed or replaced after `firstRead` was read.
   */
  async function complete(firstRead: FirstRoundTrip, forExport: boolean): Promise<Selected | undefined> {
    const { head, from, to } = firstRead;
    const parts: Promise<Selected | undefined>[] = [];
    for (let next = from + PART; next < to; next += PART) {
      parts.push(readPart(head, { from: next, to: Math.min(next + PART, to) }, forExport));
    }
    const { bodies, ownIds } = firstPart(firstRead);
    for (const part of await Promise.all(parts)) {
      if (part === undefined) return undefined;
      for (const body of part.bodies) bodies.push(body);
      for (const id of part.ownIds) ownIds.push(id);
    }
    return { bodies, ownIds };
  }

  /** Reads a conversation as it was at one point in time. Doesn't restart the ttl, and reads no tombstones. */
  async function peek(request: ReadRequest): Promise<ReadOutcome> {
    const forExport = request.forExport === true;
    for (let round = 0; round < ATTEMPTS; round++) {
      const firstRead = await readFirst(request);
      if (firstRead.head === undefined)
        return { conversation: null, ...present({ readAt: firstRead.readAt }) };
      const isWhole = firstRead.to - firstRead.from <= PART;
      const selected = isWhole ? firstPart(firstRead) : await complete(firstRead, forExport);
      if (selected !== undefined) return toOutcome(firstRead, selected, forExport);
    }
    throw new UnsteadyConversation("the conversation changed faster than it could be read");
  }

  return {
    /** Reads a whole conversation without restarting its ttl. Resolves to `null` if the conversation doesn't exist. */
    peekAll: async (conversationId: string): Promise<StoredConversation | null> =>
      (await peek({ conversationId, messages: { kind: "all" } })).conversation,

    /** Reads a conversation, and restarts its ttl if `touches` is true. */
    read: async (request: ReadRequest): Promise<ReadOutcome> => {
      const { conversationId, tombstones: asked } = request;
      const peeking = peek(request);
      if (touches) await Promise.all([peeking, touch(request)]);
      const outcome = await peeking;
      if (outcome.conversation !== null || asked === undefined) return outcome;
      return { ...outcome, tombstones: await tombstones.read(conversationId, asked.userId) };
    },
  };
}

/** Returns a reader for messages with their digests. */
export function createHistoryReader(
  run: RunConversationScript,
  keys: Keys,
  isCluster: boolean,
): HistoryReader {
  return {
    algorithm: "sha1",
    read: async ({ conversationId, from, limit }) => {
      const scriptKeys = keys.ofScript(conversationId, isCluster);
      const reply = await run("history", { keys: scriptKeys, args: [keys.prefix, from, limit] });
      if (reply === null) return null;
      const [first, total, base, digest, items] = list(reply);
      const firstPosition = number(first);
      const messages = list(items).map(itemOf);
      const historyDigest = text(digest) || (number(total) === 0 ? text(base) : undefined);
      return {
        firstPosition,
        nextPosition: firstPosition + number(total),
        base: text(base),
        ...present({ historyDigest }),
        messages,
      };
    },
  };
}
